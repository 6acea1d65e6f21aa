import ArgumentParser
import Client
import FoundationEssentials
import JSON
import Model

/// `watchwise-load replay FILE`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play conversations between bots and check every delivery on every device.",
        discussion: """
            FILE has one conversation in the form of the ReDial data set a line, such as Tests/Data/conversations.jsonl.
            Each side is a user with several devices. The two follow each other and talk; each film that was suggested is recommended; the seeker reads, and now and then
            looks at notifications. Checked are: no message lost, doubled, altered, out of order or never sent, on any
            device; one notification for each recommendation; unread counts; and, at the end, the server's lists and
            histories. Every fourth conversation is in a room, in which others listen and talk as well. The server may be killed and restarted meanwhile: all of it holds.

            EXAMPLES
              watchwise-load replay Tests/Data/conversations.jsonl --data ./watchwise-data
              watchwise-load replay dialogues.jsonl --limit 20 --speed 60 --devices 3
              watchwise-load replay dialogues.jsonl --server http://127.0.0.1:9000 --token-secret secret --json out.json
              watchwise-load replay dialogues.jsonl --server http://127.0.0.1:8081 --also http://127.0.0.1:8082 \
                --also http://127.0.0.1:8083 --move-every 50 --data ./a
            """
    )

    @Argument(help: ArgumentHelp("Conversations as JSON lines.", valueName: "FILE"))
    var file: String

    @OptionGroup var serverOptions: ServerOptions

    @Option(
        help: ArgumentHelp(
            "Another node of the server's cluster; repeated. A device that loses its connection goes to the next one.",
            valueName: "URL"))
    var also: [String] = []

    @Option(
        help: ArgumentHelp(
            "Each time after so many milliseconds some device drops its connection and moves to the next node; 0 never.",
            valueName: "MS"))
    var moveEvery = 0

    @Option(help: ArgumentHelp("How many times as fast as people were, or 'max'.", valueName: "N|max"))
    var speed = Speed.max

    @Option(help: ArgumentHelp("Play only the first N conversations.", valueName: "N"))
    var limit: Int?

    @Option(help: ArgumentHelp("Devices of each user, 1 to 32.", valueName: "N"))
    var devices = 2

    @Option(help: ArgumentHelp("Conversations at once.", valueName: "N"))
    var concurrency = 64

    @Option(help: ArgumentHelp("Every Nth conversation is in a room; 0 for none.", valueName: "N"))
    var rooms = 4

    @Option(help: ArgumentHelp("How often to play them all.", valueName: "N"))
    var loops = 1

    @Option(help: ArgumentHelp("Seconds without any progress after which to give up.", valueName: "S"))
    var patience = 60

    @OptionGroup var reportOptions: ReportOptions

    func validate() throws {
        guard (1...32).contains(devices) else { throw ValidationError("--devices: 1 to 32") }
        guard (1...10_000).contains(concurrency) else { throw ValidationError("--concurrency: 1 to 10000") }
        guard (0...10_000).contains(rooms) else { throw ValidationError("--rooms: 0 to 10000") }
        guard (1...1_000).contains(loops) else { throw ValidationError("--loops: 1 to 1000") }
        guard (0...86_400_000).contains(moveEvery) else { throw ValidationError("--move-every: 0 to 86400000") }
        guard (1...86_400).contains(patience) else { throw ValidationError("--patience: 1 to 86400") }
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit: at least 1") }
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw ValidationError(
                "there is no readable file \(file); the project's own conversations are in Tests/Data/conversations.jsonl"
            )
        }
    }

    func run() throws {
        let contents = try DialogueFile(path: file, limit: limit)
        for remark in contents.remarks { Terminal.note(remark) }
        guard !contents.dialogues.isEmpty else { throw ValidationError("\(file) has no conversations") }
        var plan = ReplayPlan(
            dialogues: Array(repeating: contents.dialogues, count: loops).flatMap { $0 },
            deviceCount: devices,
            concurrency: concurrency,
            speed: speed,
            patienceMilliseconds: Int64(patience) * 1000,
            others: try also.map(Self.address),
            moveEveryMilliseconds: moveEvery > 0 ? Int64(moveEvery) : nil
        )
        let server = try serverOptions.address()
        let mint = try serverOptions.mint()
        let report: ReplayReport
        do {
            let triggers = AdminCalls(server: server, token: mint.token(for: plan.operatorID, isAdmin: true))
            let notificationKind = try triggers.recommendationKind()
            try plan.makeRooms(every: rooms, on: server, mint: mint)
            report = try ReplayRun.play(plan, on: server, mint: mint, notificationKind: notificationKind)
        } catch let failure as LoadFailure {
            Terminal.note("error: \(failure.description)")
            throw ExitCode(1)
        }
        for note in report.findings.notes { Terminal.note(note) }
        var run = LoadReport()
        run.outcomes = [report.outcome]
        try reportOptions.show(run, table: report.table)
    }

    private static func address(_ url: String) throws -> ServerAddress {
        do {
            return try ServerAddress(url)
        } catch {
            throw ValidationError("--also: \(error.description)")
        }
    }
}

/// How fast to play.
enum Speed: ExpressibleByArgument, CustomStringConvertible {
    case max
    case times(Double)

    init?(argument: String) {
        if argument == "max" {
            self = .max
        } else if let factor = Double(argument), factor > 0, factor.isFinite {
            self = .times(factor)
        } else {
            return nil
        }
    }

    var description: String {
        switch self {
        case .max: "max"
        case .times(let factor): "\(factor)"
        }
    }

    /// Milliseconds to wait for a pause in the data.
    func milliseconds(for seconds: Double) -> Int64 {
        switch self {
        case .max: 0
        case .times(let factor): Int64(min(Swift.max(seconds, 0) * 1000 / factor, 86_400_000))
        }
    }
}
