import ArgumentParser
import Authentication
import EventLoop
import Foundation

/// `watchwise-load cluster`.
struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Measure three nodes on a replicated journal, beside a bare journal and a single node.",
        discussion: """
            Starts three journal servers, three nodes and a single node in a temporary folder, and ends them. Chats whose
            two sides are on different nodes run at a rate; in turns with them a bare client appends to a stream of its
            own on the same servers. Then chats run at the limit, on the leading node and on the single one; and the
            leading node is killed again and again while a write on another node waits for its answer. At last clients of
            the leading node resume on another one when it is killed, and as many on the single node when that is.

            Every message has a number, and none may be lost, doubled or reordered. A goal that is missed is no failure.

            EXAMPLES
              watchwise-load cluster --binary .build/release/watchwise
              watchwise-load cluster --binary .build/release/watchwise --rate 500 --kills 0 --storm 0 --json cluster.json
            """
    )

    @Option(help: ArgumentHelp("The program to start with 'serve'.", valueName: "PATH"))
    var binary: String

    @Option(
        help: ArgumentHelp("NATS server 2.15.1; Tests/JournalTrials/fetch-nats brings it.", valueName: "PATH"))
    var natsServer = ".build/trials/python/bin/nats-server"

    @Option(help: ArgumentHelp("Seconds of each measurement.", valueName: "S"))
    var seconds = 5.0

    @Option(help: ArgumentHelp("Seconds before each, which are not measured.", valueName: "S"))
    var warmup = 1.0

    @Option(help: ArgumentHelp("Messages a second of all chats together.", valueName: "N"))
    var rate = 2_000.0

    @Option(help: ArgumentHelp("Chats, two connections each.", valueName: "N"))
    var pairs = 64

    @Option(help: ArgumentHelp("How often the leading node is killed.", valueName: "N"))
    var kills = 20

    @Option(
        help: ArgumentHelp("Clients that come to another node when theirs is killed; 0 for none.", valueName: "N"))
    var storm = 10_000

    @Option(help: ArgumentHelp("Event loops of this program, one thread each.", valueName: "N"))
    var loops = 1

    @Flag(help: "Keep the folder and the logs.")
    var keep = false

    @Flag(help: .hidden)
    var alone = false

    @OptionGroup var reportOptions: ReportOptions

    func validate() throws {
        guard seconds > 0, seconds <= 3_600 else { throw ValidationError("--seconds: above 0, at most 3600") }
        guard (0...60).contains(warmup) else { throw ValidationError("--warmup: 0 to 60") }
        guard rate > 0, rate <= 1e6 else { throw ValidationError("--rate: above 0, at most 1000000") }
        guard (1...5_000).contains(pairs) else { throw ValidationError("--pairs: 1 to 5000") }
        guard (0...1_000).contains(kills) else { throw ValidationError("--kills: 0 to 1000") }
        guard storm == 0 || (16...100_000).contains(storm) else {
            throw ValidationError("--storm: 0, or 16 to 100000")
        }
        guard (1...16).contains(loops) else { throw ValidationError("--loops: 1 to 16") }
        for (name, path) in [("--binary", binary), ("--nats-server", natsServer)]
        where !FileManager.default.isExecutableFile(atPath: path) {
            throw ValidationError("\(name): there is no program at \(path)")
        }
    }

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "watchwise-cluster-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Remains.own.removeAtSignals(folder: folder) { _ in }
        let needed = TrialOptions.descriptors(clients: storm)
        guard needed <= DescriptorLimit.raise() else {
            throw ValidationError("--storm: \(storm) clients need 'ulimit -n \(needed)'")
        }
        var isGood = false
        defer {
            if isGood, !keep {
                try? FileManager.default.removeItem(at: folder)
            } else {
                Terminal.note("kept: \(folder.path)")
            }
        }
        do {
            let report = try measure(in: folder)
            var run = LoadReport()
            run.outcomes = report.outcomes
            isGood = run.isGood
            try reportOptions.show(run, table: report.table)
        } catch let failure as LoadFailure {
            Terminal.note("error: \(failure.description)")
            throw ExitCode(1)
        }
    }

    private func measure(in folder: URL) throws -> ClusterReport {
        let house = try ClusterHouse(
            ClusterHouse.Plan(
                watchwise: binary, journalServer: natsServer, folder: folder, isAlone: alone))
        let data = folder.appending(path: "single").path
        let single = ServedProcess(binary: binary, data: data, arguments: ["--log-level", "warning"])
        defer {
            _ = single.end(SIGKILL)
            house.end()
        }
        Terminal.note("starting three journal servers and the nodes")
        try house.start()
        let address = try single.start()
        guard let secret = try ServerSecret.load(fromFolder: data) else { throw LoadFailure("no secret in \(data)") }
        let course = Course(
            server: address, mint: TokenMint(secret: secret), meter: ProcessMeter(pid: single.pid), seconds: seconds,
            warmup: warmup, loopCount: loops)
        let floor = URL(filePath: binary).deletingLastPathComponent().appending(path: "watchwise-floor").path
        let plan = ClusterRun.Plan(
            seconds: seconds, warmup: warmup, loops: loops, rate: rate, pairs: pairs, kills: kills, storm: storm,
            floor: floor)
        return try ClusterRun(house, plan).play(beside: single, course)
    }
}
