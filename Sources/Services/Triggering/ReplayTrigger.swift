package import ClientProtocol
package import JSON
package import Model
import Store
import Triggers

/// What of the log a trigger is to be run over again.
///
/// - Confinement: any
package struct ReplayRange: Sendable, Hashable {
    package let name: String
    package let from: Int64
    package let to: Int64
    /// Changes that the trigger's path matches, at most; then the answer says where to go on.
    package let limit: Int

    /// - Throws: `Refusal` naming the field.
    package init(name: String, from: Int64, to: Int64, limit: Int?) throws(Refusal) {
        guard from >= 1, from < Position.bound else {
            throw Refusal.badRequest(field: "from", "must be a position, 1 or more")
        }
        guard to >= from, to < Position.bound else {
            throw Refusal.badRequest(field: "to", "must be a position, not before from")
        }
        let limit = limit ?? TriggerLimits.replayedChangesMax
        guard (1...TriggerLimits.replayedChangesMax).contains(limit) else {
            throw Refusal.badRequest(field: "limit", "must be 1 to \(TriggerLimits.replayedChangesMax)")
        }
        self.name = name
        self.from = from
        self.to = to
        self.limit = limit
    }

    /// The part of it that one slice looks at, and the changes in there; nil when nothing of it is known, or is there.
    func slice(
        of trigger: CompiledTrigger,
        in history: ChangeHistory,
        head: Position
    ) throws -> (changes: [PastChange], upTo: Int64)? {
        let first = max(from, try history.knownFrom().value + 1)
        let last = min(to, head.value, first + TriggerLimits.replayedPositionsMax - 1)
        guard first <= last else { return nil }
        return try history.matching(trigger.definition.path, in: first...last, limit: limit)
    }
}

/// The answer to a replay, dry or not.
private struct ReplayReport {
    private var rows: [JSONValue] = []
    private var counts: [String: Int64] = [:]
    private(set) var hasFailed = false

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

    /// - Parameter upTo: the last position looked at; nil when there was nothing to look at.
    func write(
        _ range: ReplayRange, isDry: Bool, upTo: Int64?, head: Position, knownFrom: Position, to reply: inout JSONWriter
    ) {
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

/// `POST /v1/triggers/NAME/replay` as it is by default: what would be sent, change by change.
///
/// - Confinement: any
package struct PreviewReplay: ReadUseCase {
    let range: ReplayRange

    package init(_ range: ReplayRange) { self.range = range }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        let trigger = try CompiledTrigger(named: range.name, in: transaction)
        let history = ChangeHistory(transaction: transaction, collections: context.collections)
        let head = try transaction.log.head()
        let slice = try range.slice(of: trigger, in: history, head: head)
        var again = RunAgain(history: history, now: context.now)
        var report = ReplayReport()
        var upTo = slice?.upTo
        for past in slice?.changes ?? [] {
            let outcome = try again.decide(trigger, on: past)
            if case .notify = outcome { again.assumed.insert(past.position) }
            let (effect, audience) = try Self.effect(of: outcome, transaction)
            report.add(past, TriggerReport(trigger: range.name, effect: effect), audience: audience)
            trigger.meter.charge(past.work)
            if report.hasFailed || trigger.meter.isSpent {
                upTo = past.position.value
                break
            }
        }
        report.write(
            range, isDry: true, upTo: upTo, head: head, knownFrom: try history.knownFrom(), to: &reply)
    }

    private static func effect(
        of outcome: AgainOutcome,
        _ transaction: Transaction
    ) throws -> (TriggerReport.Effect, audience: String?) {
        switch outcome {
        case .nothing(let reason), .done(let reason): return (.skipped(reason), nil)
        case .failed(let failure): return (.failed("\(failure.field): \(failure.message)"), nil)
        case .schedule(let due, let wanted): return (.scheduled(due), wanted.audience.description)
        case .notify(let wanted):
            let rows = try AudienceReading(transaction: transaction).rowCount(of: wanted.audience)
            return (.notified(rows), wanted.audience.description)
        }
    }
}

/// `POST /v1/triggers/NAME/replay` with `"dryRun": false`: one slice of it, which writes only what is missing. Who asks
/// goes on where the answer says, so that the writes of others come in between, and a server that dies meanwhile has
/// done a part that the next try finds done.
///
/// - Confinement: any
package struct ReplayTrigger: WriteUseCase {
    let range: ReplayRange
    package let key: WriteKey?

    package init(_ range: ReplayRange, key: WriteKey?) {
        self.range = range
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("trigger.replay")
        fingerprint.add(range.name)
        fingerprint.add(range.from)
        fingerprint.add(range.to)
        fingerprint.add(Int64(range.limit))
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let trigger = try context.engine.existing(range.name)
        guard trigger.definition.isEnabled else {
            throw Refusal(
                .conflict,
                "the trigger \(range.name) is off; a dry run is allowed all the same", field: "name")
        }
        let history = context.history
        let head = context.transaction.head
        let slice = try range.slice(of: trigger, in: history, head: head)
        var again = RunAgain(history: history, now: context.now)
        var report = ReplayReport()
        var upTo = slice?.upTo
        for past in slice?.changes ?? [] {
            report.add(past, try context.fireAgain(trigger, on: past, &again), audience: nil)
            trigger.meter.charge(past.work)
            // What failed is listed here; one mistake in the row would fail on all that follows.
            if report.hasFailed || trigger.meter.isSpent {
                upTo = past.position.value
                break
            }
        }
        report.write(
            range, isDry: false, upTo: upTo, head: head, knownFrom: try history.knownFrom(), to: &reply)
    }
}

extension CompiledTrigger {
    /// A stored row, compiled for a reader: those of the writer are its own.
    ///
    /// - Throws: `Refusal` when there is none, or this version cannot compile it.
    convenience init(named name: String, in transaction: Transaction) throws {
        guard let row = try transaction.triggers.find(name) else {
            throw Refusal(.notFound, "there is no trigger \(name)", field: "name")
        }
        try self.init(row: .object(StoredJSON.object(row, place: "triggers.row")), runner: ConditionRunner())
    }

    /// A row, compiled.
    ///
    /// - Throws: `Refusal` naming the column and the place in it.
    convenience init(row: JSONValue, runner: ConditionRunner) throws(Refusal) {
        do {
            try self.init(try TriggerDefinition(json: row), runner: runner)
        } catch {
            throw Refusal(error)
        }
    }
}
