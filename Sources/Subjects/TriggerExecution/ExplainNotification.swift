import ClientProtocol
package import Execution
package import JSON
package import Model
import Store
import Triggers

/// `GET /v1/notifications/ID/explain`: the origin of a notification, and what happened to it for one person.
///
/// - Confinement: any
package struct ExplainNotification: ReadUseCase {
    let id: String
    let user: UserID?

    package init(id: String, user: UserID?) {
        self.id = id
        self.user = user
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let transaction = context.transaction
        guard let position = NotificationEntry.position(ofID: id.hasPrefix("n") ? id : "n" + id) else {
            throw Refusal(.notFound, "there is no notification \(id): an id is n and a number", field: "id")
        }
        guard let entry = try transaction.notifications.findWritten(at: position) else {
            let from = try transaction.retention.from()
            let known = position > from ? "" : " any more: the log begins after seq \(from)"
            throw Refusal(.notFound, "there is no notification \(id)\(known)", field: "id")
        }
        var trail = ExplainTrail(transaction, now: context.now)
        try addOrigin(of: entry, to: &trail, in: context)
        trail.addNotification(entry)
        let verdict: String
        if let user {
            verdict = try addPerson(user, entry, to: &trail, in: transaction)
        } else {
            verdict = "\(entry.id) went to \(entry.topic)"
            try trail.addPushes(entry)
            try trail.addEnd(entry)
        }
        return [
            "id": .string(entry.id), "user": user.map { .string($0.text) } ?? .null, "verdict": .string(verdict),
            "trail": .array(trail.steps),
        ]
    }

    /// Adds the write, the trigger and the condition.
    private func addOrigin(
        of entry: NotificationEntry,
        to trail: inout ExplainTrail,
        in context: ReadContext
    ) throws {
        guard let change = entry.change, let name = entry.trigger else {
            let what = entry.broadcast.map { "broadcast \($0) of an operator" } ?? "no document's change"
            return trail.add("write", true, what, ["seq": .integer(entry.position.value)])
        }
        let history = ChangeHistory(transaction: context.transaction, collections: context.collections)
        let trigger = try Self.trigger(name, in: context.transaction)
        // Rows of earlier versions have no path, so it may be either of two changes at the position.
        let changes = try history.changes(at: change).filter { past in
            entry.path.map { $0 == past.change.path.text }
                ?? (trigger?.definition.path.match(past.change.path) != nil)
        }
        guard let past = changes.first else {
            trail.addForgottenWrite(change, path: entry.path, knownFrom: try history.knownFrom())
            return try trail.addRow(trigger, name, ranAt: change)
        }
        try trail.addWrite(past)
        try trail.addRow(trigger, name, ranAt: change)
        guard let trigger else { return }
        let complete = try history.change(past, for: trigger)
        trail.addCondition(TriggerEvaluation.explain(trigger, change: complete, now: past.at ?? entry.at))
    }

    /// The present row; nil when there is none that this version can compile.
    private static func trigger(_ name: String, in transaction: Transaction) throws -> CompiledTrigger? {
        do {
            return try CompiledTrigger(named: name, in: transaction)
        } catch is Refusal {
            return nil
        }
    }

    /// - Returns: a sentence that sums it up.
    private func addPerson(
        _ name: UserID,
        _ entry: NotificationEntry,
        to trail: inout ExplainTrail,
        in transaction: Transaction
    ) throws -> String {
        guard let user = try transaction.users.find(name) else {
            trail.add("audience", false, "the server does not know \(name.text): no device of that user ever connected")
            return "\(name.text) did not get \(entry.id): nobody is known by that name"
        }
        return try trail.addPerson(user, entry)
    }
}

extension ExplainTrail {
    /// Adds what happened to a notification for a person.
    ///
    /// - Returns: a sentence that sums it up.
    mutating func addPerson(_ user: UserEntry, _ entry: NotificationEntry) throws -> String {
        guard try addAudience(entry, user) else {
            try addEnd(entry)
            return "\(user.name.text) did not get \(entry.id): not in its audience"
        }
        let alerts = try addDecision(entry, user)
        try addPushes(entry, to: user.id)
        addDelivery(entry, user)
        try addReading(entry, user)
        if try !addArchived(entry, by: user) { try addEnd(entry) }
        return "\(user.name.text) got \(entry.id)" + (alerts ? "" : " without being interrupted")
    }
}
