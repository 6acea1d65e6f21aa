package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `notification`: one notification of the caller, in the caller's language, as the list has it.
///
/// - Confinement: any
package struct ReadNotification: ReadUseCase {
    let command: NotificationCommand
    /// The language of the device that asks, if the user chose none.
    let deviceLanguage: LanguageTag?

    package init(_ command: NotificationCommand, deviceLanguage: LanguageTag?) {
        self.command = command
        self.deviceLanguage = deviceLanguage
    }

    package func perform(in context: ReadContext) throws -> Answer {
        let user = try context.user()
        let notifications = context.transaction.notifications
        guard let position = NotificationEntry.position(ofID: command.notification),
            let entry = try notifications.find(position), entry.expires.map({ $0 > context.now }) ?? true,
            try notifications.isReadable(entry, by: user),
            try !context.transaction.archived.contains(position, of: user.id)
        else { throw Refusal(.notFound, "there is no notification \(command.notification)", field: "notification") }
        var decision = DeliveryDecision(of: user, in: context.transaction)
        return Answer(
            notification: try DeliveredNotification(entry, silence: decision.reason(for: entry)),
            language: user.language(onDevice: deviceLanguage),
            isSeen: try notifications.isSeen(position, by: user))
    }

    /// The answer: the members of an entry of the list.
    package struct Answer: UseCaseAnswer {
        let notification: DeliveredNotification
        let language: LanguageTag?
        let isSeen: Bool

        package func write(to reply: inout JSONWriter) {
            notification.writeMembers(in: language, isSeen: isSeen, to: &reply)
        }
    }
}

extension NotificationCommand: AnsweredCommand {
    package var work: CommandWork { .readInLanguage { ReadNotification(self, deviceLanguage: $0) } }
}
