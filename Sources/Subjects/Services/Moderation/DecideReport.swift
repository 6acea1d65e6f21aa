import ClientProtocol
package import Execution
package import JSON
package import Model
import Notifying
import Store
import TriggerExecution

/// `POST /v1/reports/ID/decide`: the moderators act on a report, and on all open reports of the same.
///
/// - Confinement: any
package struct DecideReport: WriteUseCase {
    /// The consequence; the raw value is the word on the wire.
    package enum Action: String, Sendable, Hashable, CaseIterable {
        case dismiss, warn, delete, mute, ban

        /// The words, for people.
        package static let form = "one of " + allCases.map(\.rawValue).joined(separator: ", ")
    }

    let id: Int64
    let action: Action
    let until: Timestamp?
    let statement: String
    let note: String?
    package let key: WriteKey?

    /// - Parameters:
    ///   - until: of a restriction; nil for no end.
    ///   - statement: for the user; for the reporters when the report is dismissed.
    ///   - note: for moderators alone.
    package init(
        _ id: Int64, _ action: Action, until: Timestamp?, statement: String, note: String?, key: WriteKey?
    ) {
        self.id = id
        self.action = action
        self.until = until
        self.statement = statement
        self.note = note
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("decide")
        fingerprint.add(id)
        fingerprint.add(action.rawValue)
        fingerprint.add(until?.milliseconds)
        fingerprint.add(statement)
        fingerprint.add(note)
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        let transaction = context.transaction
        guard let report = try transaction.reports.find(id) else { throw ReportEntry.noReport(id) }
        guard report.decision == nil else {
            throw Refusal(.conflict, "the report is decided already", field: "report")
        }
        guard let user = try transaction.users.name(of: report.user) else {
            throw StoredValueProblem(place: "reports.user")
        }
        try act(on: report, of: user, in: context)
        var firing = TriggerFiring(in: context)
        let decision = ReportDecision(
            at: context.now, action: action.rawValue, until: until, statement: statement, note: note,
            by: context.actor.subject)
        let all = try transaction.reports.open(of: report.user, chat: report.chat, n: report.n)
        for same in all { try decide(same, decision, of: user, in: context, &firing) }
        try ModerationNotice.statement(action, until: until, statement)?.send(to: user, &firing.notifier)
        return [
            "report": .string(report.name), "action": .string(action.rawValue),
            "reports": .array(all.map { .string($0.name) }), "seq": .integer(transaction.head.value),
        ]
    }

    private func decide(
        _ report: ReportEntry, _ decision: ReportDecision, of user: UserID, in context: WriteContext,
        _ firing: inout TriggerFiring
    ) throws {
        try context.transaction.reports.decide(report.id, decision)
        let document = try report.document(of: user, decision)
        _ = try WriteDocuments(document, key: nil).record(in: context, &firing)
        guard let reporter = try context.transaction.users.name(of: report.reporter) else {
            throw StoredValueProblem(place: "reports.reporter")
        }
        try ModerationNotice.decided(report, action, statement: statement).send(to: reporter, &firing.notifier)
    }

    private func act(on report: ReportEntry, of user: UserID, in context: WriteContext) throws {
        switch action {
        case .dismiss, .warn: break
        case .mute: try restrict(user, .mute, in: context)
        case .ban: try restrict(user, .ban, in: context)
        case .delete:
            guard let chat = report.chat.flatMap(ChatID.init), let n = report.n else {
                throw Refusal.badRequest(field: "action", "cannot be delete: the report names no message")
            }
            let change = try MessageChange(byModeratorOf: n, in: chat, context)
            if change.message.deletedAt == nil { _ = try MessageDeletion(change).perform(by: nil, key: nil) }
        }
    }

    private func restrict(_ user: UserID, _ kind: Restriction.Kind, in context: WriteContext) throws {
        // Somebody who was erased does nothing any more.
        if let id = try context.transaction.users.number(of: user), try context.transaction.erasures.isErased(id) {
            return
        }
        try RestrictUser(user, kind, until: until, reason: statement, key: nil).apply(in: context)
    }
}
