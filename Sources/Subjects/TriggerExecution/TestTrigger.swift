package import ClientProtocol
package import Execution
package import JSON
import Model
import Store
import Triggers

/// `POST /v1/triggers/NAME/test`: what a trigger would do about a change, without doing it.
///
/// The row is the stored one or one in the request. The change is made from the request and the stored document. It
/// reads a snapshot with an evaluator of its own: it writes nothing, and nobody waits for it.
///
/// - Confinement: any
package struct TestTrigger: ReadUseCase {
    private let name: String
    /// The row to test; nil for the stored one.
    private let row: JSONObject?
    private let path: DocumentPath
    private let before: Given
    private let after: Given
    /// The one recipient to show; nil for the first ones.
    private let user: UserID?
    /// The time of the change; nil for now.
    private let at: Timestamp?
    private let limit: Int

    /// One side of the change.
    private enum Given: Sendable {
        /// The stored document.
        case absent
        /// No document.
        case none
        case document(JSONObject)
    }

    private static let known = ["row", "path", "before", "after", "user", "now", "limit", "reason"]

    /// Reads the body of the request.
    ///
    /// - Parameter access: to what people wrote to each other.
    /// - Throws: `Refusal` naming the field; `forbidden` for a document that the request may not read.
    package init(name: String, body: JSONObject, _ access: ConversationAccess = .lacksScope) throws(Refusal) {
        try body.allow(Self.known)
        self.name = name
        guard let text = body["path"]?.stringValue else {
            throw Refusal.badRequest(field: "path", "is required: the path of the document that changes")
        }
        path = try DocumentPath(text, field: "path")
        try access.check(path.levels.first?.collection)
        row = try Self.object(body, "row")
        before = try Self.side(body, "before")
        after = try Self.side(body, "after")
        user = try Self.read(body, "user", UserID.form) { $0.stringValue.flatMap(UserID.init(_:)) }
        at = try Self.read(body, "now", "a time such as 2026-11-21T10:00:00Z") {
            $0.stringValue.flatMap { Timestamp($0) }
        }
        let range = 0...Int64(TriggerLimits.testRecipientsMax)
        let limit = try Self.read(body, "limit", "a number from 0 to \(range.upperBound)") { value -> Int64? in
            value.integerValue.flatMap { range.contains($0) ? $0 : nil }
        }
        self.limit = Int(limit ?? Int64(TriggerLimits.testRecipientsDefault))
    }

    private static func read<Value>(
        _ body: JSONObject,
        _ field: String,
        _ form: String,
        _ value: (JSONValue) -> Value?
    ) throws(Refusal) -> Value? {
        guard let given = body[field], !given.isNull else { return nil }
        guard let value = value(given) else { throw Refusal.badRequest(field: field, "must be \(form)") }
        return value
    }

    private static func object(_ body: JSONObject, _ field: String) throws(Refusal) -> JSONObject? {
        try read(body, field, "an object") { $0.objectValue }
    }

    private static func side(_ body: JSONObject, _ field: String) throws(Refusal) -> Given {
        guard let value = body[field] else { return .absent }
        guard !value.isNull else { return .none }
        guard let object = value.objectValue else {
            throw Refusal.badRequest(field: field, "must be an object, or null when there is none")
        }
        return .document(object)
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let trigger = try trigger(in: context.transaction)
        let (given, sources) = try change(in: context)
        let change = try OtherDocumentsReading(transaction: context.transaction).complete(given, for: trigger)
        let now = at ?? context.now
        let memory = try TriggerMemory(of: trigger, for: change, in: context.transaction, at: now)
        let explanation = TriggerEvaluation.explain(trigger, change: change, now: now, isArmed: memory.isArmed)
        var report: JSONObject = [
            "trigger": .string(trigger.definition.name), "row": row == nil ? "stored" : "given",
            "enabled": .bool(trigger.definition.isEnabled), "path": .string(path.text),
            "event": .string(change.event.rawValue), "now": .string(now.text),
        ]
        for (name, source) in sources { report[name] = .string(source) }
        TriggerTestReport(explanation, trigger: trigger.definition).add(to: &report)
        if !memory.withdrawn.isEmpty { report["withdraws"] = .array(memory.withdrawn.map { .string($0) }) }
        report["fails"] = memory.failure.map { .string($0) }
        guard let wanted = explanation.wanted else { return report }
        if !wanted.missingPeople.isEmpty {
            report["nobody"] = .array(wanted.missingPeople.map { .string($0) })
        }
        let begins = if case .scheduled(let due, _) = explanation.outcome { due } else { now }
        try TriggerTestAudience(
            wanted, change: change, user: user, limit: limit, now: now, begins: begins, late: trigger.definition.late
        )
        .add(to: &report, in: context)
        if let webhook = trigger.definition.webhook {
            report["webhook"] = TriggerTestReport.webhook(webhook, trigger.definition.name, change, wanted)
        }
        return report
    }

    private func trigger(in transaction: Transaction) throws -> CompiledTrigger {
        guard var row else { return try CompiledTrigger(named: name, in: transaction) }
        if let written = row["name"], !written.isNull, written != .string(name) {
            throw Refusal.badRequest(field: "row.name", "must be \(name), as in the address, or absent")
        }
        row["name"] = .string(name)
        do {
            return try CompiledTrigger(row: .object(row), runner: ConditionRunner())
        } catch var refusal as Refusal {
            refusal.field = refusal.field.map { "row.\($0)" } ?? "row"
            throw refusal
        }
    }

    /// The change, and the origin of its two sides.
    private func change(
        in context: ReadContext
    ) throws -> (change: DocumentChange, sources: [(name: String, source: String)]) {
        let stored = try CurrentDocument(at: path, context.collections, in: context.transaction)
        let (after, afterSource) = Self.side(self.after, stored: stored?.data)
        let before: JSONValue?
        var beforeSource: String
        switch (self.before, self.after) {
        case (.absent, .absent):
            // The newest change, once more.
            let history = ChangeHistory(transaction: context.transaction, collections: context.collections)
            let newest = try history.newest(of: path, before: Position(Position.bound), limit: 1).first
            before = newest?.change.before
            beforeSource = newest == nil ? "none" : "history"
        default: (before, beforeSource) = Self.side(self.before, stored: stored?.data)
        }
        guard before != nil || after != nil else {
            throw Refusal(
                .notFound,
                "there is no document \(path); give the document to write with after", field: "after")
        }
        if before == nil { beforeSource = "none" }
        let change = DocumentChange(
            path: path,
            event: before == nil ? .create : after == nil ? .delete : .update,
            before: before,
            after: after
        )
        return (change, [("before", beforeSource), ("after", after == nil ? "none" : afterSource)])
    }

    private static func side(_ given: Given, stored: JSONValue?) -> (JSONValue?, source: String) {
        switch given {
        case .absent: (stored, "stored")
        case .none: (nil, "none")
        case .document(let object): (.object(object), "given")
        }
    }
}
