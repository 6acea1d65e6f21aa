package import ClientProtocol
package import Execution
package import JSON
package import Model
import Notifying
import Store
import TriggerExecution

/// `report`: tells the moderators of a person, or of a message, which is copied as it is now with those around it.
///
/// The document `reports/ID` comes with it, for triggers: without the reporter, and without texts.
///
/// - Confinement: any
package struct ReportUser: WriteUseCase {
    let command: ReportCommand

    package init(_ command: ReportCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("report")
        fingerprint.add(command.user.text)
        fingerprint.add(command.chat?.text)
        fingerprint.add(command.n)
        fingerprint.add(command.category.rawValue)
        fingerprint.add(command.reason)
    }

    package func perform(in context: WriteContext) throws -> Answer {
        let (id, name) = try context.user()
        let (transaction, reports) = (context.transaction, context.transaction.reports)
        guard command.user != name else { throw Refusal.badRequest(field: "user", "must be another user") }
        try transaction.checkErasure(of: command.user, field: "user")
        guard let user = try transaction.users.number(of: command.user) else { throw Refusal.noUser(command.user) }
        let copy = try ReportCopy.make(command, of: user, by: (id, name), in: transaction.reading)
        if let same = try reports.find(of: user, by: id, chat: command.chat?.text, n: command.n) {
            return Answer(report: same.name, position: transaction.head)
        }
        try checkLimit(of: id, in: context)
        let report = ReportEntry(
            id: try reports.nextID(), at: context.now, reporter: id, user: user, chat: command.chat?.text, n: command.n,
            category: command.category.rawValue, reason: command.reason, copy: copy?.text)
        try reports.insert(report)
        var firing = TriggerFiring(in: context)
        let document = try report.document(of: command.user)
        let position = try WriteDocuments(document, key: nil).record(in: context, &firing)
        try ModerationNotice.received(report).send(to: name, &firing.notifier)
        return Answer(report: report.name, position: position)
    }

    /// The answer: `report` and `seq`.
    package struct Answer: UseCaseAnswer {
        let report: String
        let position: Position

        package func write(to reply: inout JSONWriter) {
            reply.member("report", report)
            reply.member("seq", position.value)
        }
    }

    /// Reports stand in a table, so they are counted there: a restart forgets none.
    private func checkLimit(of reporter: StreamID, in context: WriteContext) throws {
        let limit =
            try context.limit(of: .report) ?? RateLimit(count: ModerationLimits.reportsPerDay, milliseconds: 86_400_000)
        guard let oldest = try context.transaction.reports.time(ofNewest: limit.count, by: reporter) else { return }
        let wait = oldest.milliseconds + limit.milliseconds - context.now.milliseconds
        guard wait > 0 else { return }
        throw Refusal(.rateLimited, "at most \(limit.text) of report", retryAfterMilliseconds: wait)
    }
}

extension ReportCommand: AnsweredCommand {
    package var work: CommandWork { .write(ReportUser(self)) }
}
