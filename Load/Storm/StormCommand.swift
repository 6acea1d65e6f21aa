import ArgumentParser
import Authentication
import EventLoop
import Foundation
import JSON

/// `watchwise-load storm`.
struct StormCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm",
        abstract: "Let thousands of clients come back at once, and check that none has lost anything.",
        discussion: """
            Starts a server of its own in a temporary folder and connects the clients. Half of them go; then every
            client is written to and everyone is notified. Under that load the server is killed (--mode kill) or
            stopped (--mode drain) and started again, or runs on (--mode reconnect), and all who have no connection
            come at once and resume. Each must get every message and notice once, in order.

            The time is that from the moment the server listens again (in --mode reconnect: from the first connect) to
            each client's 'live'. Pings of the clients that stay, and messages, are timed before and during the storm.

            EXAMPLES
              watchwise-load storm --binary .build/release/watchwise
              watchwise-load storm --binary .build/release/watchwise --mode reconnect --clients 5000 --json storm.json
            """
    )

    @Option(help: ArgumentHelp("The program to start with 'serve'.", valueName: "PATH"))
    var binary: String

    @Option(help: ArgumentHelp("kill, drain or reconnect.", valueName: "MODE"))
    var mode = StormMode.kill

    @Option(help: ArgumentHelp("Clients.", valueName: "N"))
    var clients = 10_000

    @Option(help: ArgumentHelp("Messages to each client while half of them are away.", valueName: "N"))
    var rounds = 4

    @Option(help: ArgumentHelp("Event loops of this program, one thread each.", valueName: "N"))
    var loops = 1

    @Option(help: ArgumentHelp("Seconds from the storm's begin after which it is a failure.", valueName: "S"))
    var patience = 60

    @Option(
        name: .customLong("serve"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An argument for 'serve', such as --serve=--loops=1; repeated.", valueName: "ARGUMENT")
    )
    var serveArguments: [String] = []

    @Flag(help: "Keep the server's folder and log.")
    var keep = false

    @OptionGroup var reportOptions: ReportOptions

    func validate() throws {
        guard (16...100_000).contains(clients) else { throw ValidationError("--clients: 16 to 100000") }
        guard (1...1_000).contains(rounds) else { throw ValidationError("--rounds: 1 to 1000") }
        guard (1...16).contains(loops) else { throw ValidationError("--loops: 1 to 16") }
        guard (1...3_600).contains(patience) else { throw ValidationError("--patience: 1 to 3600") }
        guard FileManager.default.isExecutableFile(atPath: binary) else {
            throw ValidationError("--binary: there is no program at \(binary)")
        }
    }

    func run() throws {
        let needed = clients + 1_000
        let folder = FileManager.default.temporaryDirectory.appending(path: "watchwise-storm-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = folder.appending(path: "data").path
        let server = ServedProcess(binary: binary, data: data, arguments: serveArguments)
        var isGood = false
        defer {
            _ = server.end(SIGKILL)
            if isGood, !keep {
                try? FileManager.default.removeItem(at: folder)
            } else {
                Terminal.note("kept: \(folder.path)")
            }
        }
        do {
            guard needed <= DescriptorLimit.raise() else {
                throw LoadFailure("\(clients) clients need 'ulimit -n \(needed)'")
            }
            let address = try server.start()
            guard let secret = try ServerSecret.load(fromFolder: data) else {
                throw LoadFailure("no secret in \(data)")
            }
            let plan = StormPlan(
                mode: mode, clients: clients, loops: loops, rounds: rounds, server: address,
                mint: TokenMint(secret: secret))
            let report = try StormRun(plan, server: server, patience: .seconds(patience)).play()
            isGood = report.isGood
            var run = LoadReport()
            run.outcomes = [report.outcome]
            try reportOptions.show(run, table: report.table)
        } catch let failure as LoadFailure {
            Terminal.note("error: \(failure.description)")
        }
        if !isGood { throw ExitCode(1) }
    }
}
