import ArgumentParser
import Client
import JSON
import Model

/// `watchwise-load bench`.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure a server: what it does for each second of its own processor time.",
        discussion: """
            SCENARIOS
              idle    sessions that do nothing: memory for each, on a server that was just started
              echo    messages to /v1/echo and back, one under way per connection; needs serve --debug-echo
              pairs   chats of two with durable messages: at the limit, then at \(PairsScenario.rate) a second
              fanout  one notification to all connections, the next when every one has it

            The server runs on the same machine: its processor time and memory are read from /proc. This is a
            benchmark. The absolute figures of one run on one machine mean little; compare ratios of runs side by side.

            EXAMPLES
              watchwise-load bench
              watchwise-load bench --scenario fanout --connections 10000 --seconds 10
              watchwise-load bench --scenario pairs --loops 2 --json pairs.json
            """
    )

    enum Scenario: String, ExpressibleByArgument, CaseIterable {
        case idle, echo, pairs, fanout, all

        var connectionsDefault: Int {
            switch self {
            case .echo: 64
            case .pairs: 256
            case .fanout, .idle, .all: 1_000
            }
        }

        func run(_ bench: Bench, connections: Int) throws -> [BenchRow] {
            switch self {
            case .echo: try EchoScenario.run(bench, connections: connections)
            case .pairs: try PairsScenario.run(bench, connections: connections)
            case .fanout: try FanoutScenario.run(bench, connections: connections)
            case .idle: try IdleScenario.run(bench, connections: connections)
            case .all: []
            }
        }
    }

    @OptionGroup var serverOptions: ServerOptions

    @Option(help: "What to measure.")
    var scenario = Scenario.all

    @Option(help: ArgumentHelp("Connections; 64 for echo, 256 for pairs, else 1000.", valueName: "N"))
    var connections: Int?

    @Option(help: ArgumentHelp("How long each measurement takes.", valueName: "S"))
    var seconds = 5.0

    @Option(help: ArgumentHelp("Event loops of this program, one thread each.", valueName: "N"))
    var loops = 1

    @Option(help: ArgumentHelp("The server's process, instead of the one it names.", valueName: "PID"))
    var pid: Int64?

    @Option(help: ArgumentHelp("Write the results there too, as JSON.", valueName: "FILE"))
    var json: String?

    func validate() throws {
        guard connections.map({ (2...100_000).contains($0) }) ?? true else {
            throw ValidationError("--connections: 2 to 100000")
        }
        guard seconds > 0, seconds <= 3600 else { throw ValidationError("--seconds: above 0, at most 3600") }
        guard (1...64).contains(loops) else { throw ValidationError("--loops: 1 to 64") }
    }

    func run() throws {
        let server = try serverOptions.address()
        let mint = try serverOptions.mint()
        do {
            let bench = Bench(
                server: server,
                mint: mint,
                meter: ServerMeter(pid: try processID(server, mint)),
                seconds: seconds,
                loopCount: loops,
                run: String(UInt32.random(in: 1 << 24..<1 << 31), radix: 36)
            )
            try show(measure(bench))
        } catch let failure as LoadFailure {
            Terminal.note("error: \(failure.description)")
            throw ExitCode(1)
        }
    }

    private func measure(_ bench: Bench) throws -> [BenchRow] {
        let scenarios = scenario == .all ? [.idle, .echo, .pairs, .fanout] : [scenario]
        return try scenarios.flatMap { scenario in
            let count = connections ?? scenario.connectionsDefault
            guard count + 64 <= ServerMeter.descriptorsMax else {
                throw LoadFailure("\(count) connections need 'ulimit -n \(count + 64)' here and for the server")
            }
            Terminal.note("\(scenario.rawValue): \(count.grouped) connections, \(seconds) s")
            return try scenario.run(bench, connections: count)
        }
    }

    private func processID(_ server: ServerAddress, _ mint: TokenMint) throws -> Int64 {
        if let pid { return pid }
        guard let admin = UserID("bench-admin") else { throw LoadFailure("no user to ask with") }
        let calls = AdminCalls(server: server, token: mint.token(for: admin, isAdmin: true))
        guard let pid = try calls.perform("GET", "/v1/stats")["pid"]?.integerValue else {
            throw LoadFailure("/v1/stats does not name the server's process; give --pid")
        }
        return pid
    }

    private func show(_ rows: [BenchRow]) throws {
        var table = TextTable()
        table.add(BenchRow.heading)
        for row in rows { table.add(row.cells) }
        print(table.text)
        var latencies = TextTable()
        latencies.add("milliseconds", "p50", "p99", "p99.9", "max")
        for row in rows {
            for (name, measured) in row.latencies {
                latencies.add(["\(row.scenario) \(row.detail) \(name)"] + measured.cells)
            }
        }
        if rows.contains(where: { !$0.latencies.isEmpty }) { print("\n" + latencies.text) }
        print("")
        print("A benchmark on \(ServerMeter.machine), client and server sharing it.")
        print("Absolute figures of one run mean little; compare ratios of runs side by side.")
        guard let json else { return }
        let report: JSONValue = [
            "machine": .string(ServerMeter.machine), "rows": .array(rows.map(\.json)),
        ]
        try Terminal.save(report.text + "\n", to: json)
    }
}
