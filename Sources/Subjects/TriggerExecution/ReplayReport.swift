import Execution
package import JSON
import Model
import Store
import Triggers

/// The answer to a replay, dry or not.
///
/// - Confinement: any
package struct ReplayReport: UseCaseAnswer {
    let range: ReplayRange
    let isDry: Bool
    let head: Position
    let knownFrom: Position
    /// The last position looked at; nil when there was nothing to look at.
    private(set) var upTo: Int64?
    private var rows: [JSONValue] = []
    private var counts: [String: Int64] = [:]
    private(set) var hasFailed = false

    init(_ range: ReplayRange, isDry: Bool, upTo: Int64?, head: Position, knownFrom: Position) {
        self.range = range
        self.isDry = isDry
        self.upTo = upTo
        self.head = head
        self.knownFrom = knownFrom
    }

    /// Nothing after this change was looked at.
    mutating func end(with past: PastChange) { upTo = past.position.value }

    mutating func add(_ past: PastChange, _ report: TriggerReport, audience: String?) {
        var row: JSONObject = [
            "seq": .integer(past.position.value), "path": .string(past.change.path.text),
            "event": .string(past.change.event.rawValue),
        ]
        row["at"] = past.at.map { .string($0.text) }
        for (name, value) in report.json.objectValue?.members ?? [] where name != "trigger" { row[name] = value }
        row["audience"] = audience.map { .string($0) }
        let word =
            switch report.effect {
            case .notified: "sent"
            case .scheduled: "scheduled"
            case .skipped: "skipped"
            case .failed: "failed"
            }
        counts[word, default: 0] += 1
        hasFailed = hasFailed || word == "failed"
        rows.append(.object(row))
    }

    package func write(to reply: inout JSONWriter) {
        reply.member("trigger", range.name)
        reply.member("dryRun", isDry)
        reply.member("from", range.from)
        reply.member("to", range.to)
        if range.from <= knownFrom.value { reply.member("knownFrom", knownFrom.value + 1) }
        for word in ["sent", "scheduled", "skipped", "failed"] { reply.member(word, counts[word] ?? 0) }
        reply.member("changes", .array(rows))
        let end = min(range.to, head.value)
        if let upTo, upTo < end { reply.member("next", upTo + 1) }
    }
}
