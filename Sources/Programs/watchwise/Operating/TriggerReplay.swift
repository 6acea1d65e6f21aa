import ArgumentParser
import Client
import Console
import JSON

/// `watchwise trigger replay`
struct TriggerReplay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run a trigger again over a part of the log; without --go, only show what would be sent.",
        discussion: """
            Nothing is sent twice: nobody gets the notification of a change again. Expired notifications are left out, and \
            so are those that a later change has replaced. The replay goes slice by slice, with pauses for other work; \
            if interrupted, it can be started again. It stops where the trigger fails. --quiet leaves out the line for \
            each change, except for failures, and prints the sum.

            EXAMPLES
              watchwise trigger replay director-release --from 4000
              watchwise trigger replay director-release --from 4000 --to 4711 --go
              watchwise trigger replay worse --from 1 --go --keep-going
              watchwise trigger replay worse --from 1 --go --quiet
            """
    )

    @Argument(help: "The trigger's name.")
    var name: String
    @Option(help: .value("seq", "The first position."))
    var from: Int64
    @Option(help: .value("seq", "The last position. (default: the newest)"))
    var to: Int64?
    @Flag(help: "Send what is missing.")
    var go = false
    @Flag(help: "Continue after changes on which the trigger fails.")
    var keepGoing = false
    @Flag(help: "Show the sum, not each change.")
    var quiet = false
    @Option(
        help: .value("text", "Why, for the audit; needed for a row on chats or recommendations, with the scope admin."))
    var reason: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    /// The pause between two slices that write: as long as a slice takes, so that half of the writer's time remains for
    /// others.
    private static let pauseMilliseconds: Int64 = 20

    func run() throws {
        let address = try AdminClient.address(of: "trigger", name) + "/replay"
        let client = try server.connect()
        let last = try to ?? client.ask("GET", "stats")["seq"]?.integerValue ?? from
        guard last >= from else { throw CommandFailure(.misused, "--to must not be before --from") }
        var sum = ReplaySum(isDry: !go, isJSON: server.json, isQuiet: quiet)
        var next: Int64? = from
        var isInterrupted = false
        while let start = next, !isInterrupted {
            var body: JSONValue = ["from": .integer(start), "to": .integer(last), "dryRun": .bool(!go)]
            body["reason"] = reason.map { .string($0) }
            // No key is needed: repeating a slice writes nothing twice, and its answer need not be stored.
            let slice = try client.ask(client.request("POST", address).with(body: body))
            sum.add(slice)
            next = slice["next"]?.integerValue
            Terminal.progress("  \(((next ?? last + 1) - from).grouped) of \((last - from + 1).grouped) positions")
            if sum.failed > 0, !keepGoing { break }
            if next != nil, go { isInterrupted = try Pause.isInterrupted(withinMilliseconds: Self.pauseMilliseconds) }
        }
        Terminal.progress("")
        sum.end(name: name, from: from, to: last, next: next)
        if sum.failed > 0 {
            throw CommandFailure(.failed, "the trigger failed on \(sum.failed.counted("change", "changes"))")
        }
    }
}

/// The sums of all slices.
private struct ReplaySum {
    let isDry: Bool
    let isJSON: Bool
    let isQuiet: Bool
    private(set) var failed: Int64 = 0
    private var counts: [String: Int64] = [:]
    private var changes: [JSONValue] = []
    private var knownFrom: Int64?

    init(isDry: Bool, isJSON: Bool, isQuiet: Bool) {
        self.isDry = isDry
        self.isJSON = isJSON
        self.isQuiet = isQuiet
    }

    mutating func add(_ slice: JSONValue) {
        for word in ["sent", "scheduled", "skipped", "failed"] {
            counts[word, default: 0] += slice[word]?.integerValue ?? 0
        }
        failed = counts["failed"] ?? 0
        knownFrom = knownFrom ?? slice["knownFrom"]?.integerValue
        let all = slice["changes"]?.arrayValue ?? []
        let rows = isQuiet ? all.filter { $0["failed"] != nil } : all
        if isJSON { return changes += rows }
        for row in rows {
            Terminal.line(
                "seq \(row["seq"]?.text ?? ""), \(row["event"]?.stringValue ?? "") of \(row["path"]?.stringValue ?? ""): \(effect(row))"
            )
        }
    }

    private func effect(_ row: JSONValue) -> String {
        let audience = row["audience"]?.stringValue.map { " to \($0)" } ?? ""
        let would = isDry ? "would be " : ""
        if let count = row["notifications"]?.integerValue {
            return isDry ? "would be sent\(audience)" : count.counted("notification", "notifications") + " written"
        }
        if let due = row["scheduled"]?.stringValue { return "\(would)scheduled for \(due)\(audience)" }
        return row["skipped"]?.stringValue ?? "failed: \(row["failed"]?.stringValue ?? "")"
    }

    func end(name: String, from: Int64, to: Int64, next: Int64?) {
        let words = ["sent", "scheduled", "skipped", "failed"]
        if isJSON {
            var answer: JSONValue = [
                "trigger": .string(name), "dryRun": .bool(isDry), "from": .integer(from), "to": .integer(to),
            ]
            for word in words { answer[word] = .integer(counts[word] ?? 0) }
            answer["changes"] = .array(changes)
            answer["knownFrom"] = knownFrom.map { .integer($0) }
            answer["next"] = next.map { .integer($0) }
            return Terminal.line(answer.text)
        }
        if let knownFrom { Terminal.line("changes before seq \(knownFrom) are no longer known") }
        let all = words.map { "\((counts[$0] ?? 0).grouped) \($0)" }.joined(separator: ", ")
        Terminal.line("seq \(from) to \(next.map { $0 - 1 } ?? to): \(all)")
        if isDry { Terminal.line("Nothing was sent. Repeat it with --go to send.") }
        if let next {
            Terminal.line("to go on: watchwise trigger replay \(name) --from \(next) --to \(to)\(isDry ? "" : " --go")")
        }
    }
}
