package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `notifications`: the caller's own notifications merged with those of followed topics, newest first, in the caller's
/// language.
///
/// - Confinement: any
package struct ListNotifications: ReadUseCase {
    let command: NotificationsCommand
    /// The language of the device that asks, if the user chose none.
    let deviceLanguage: LanguageTag?

    package init(_ command: NotificationsCommand, deviceLanguage: LanguageTag?) {
        self.command = command
        self.deviceLanguage = deviceLanguage
    }

    package func perform(in context: ReadContext) throws -> Answer {
        let user = try context.user()
        let notifications = context.transaction.notifications
        let before = try Cursor.number(command.before, field: "before") ?? Position.bound
        let found = try notifications.page(
            of: user,
            before: Position(before),
            onlyUnread: command.isUnreadOnly,
            at: context.now,
            limit: command.limit + 1
        )
        let page = Page(found, limit: command.limit) { String($0.position.value) }
        let language = user.language(onDevice: deviceLanguage)
        var decision = DeliveryDecision(of: user, in: context.transaction)
        return Answer(
            language: language,
            notifications: try page.entries.map { entry in
                let isSeen = try notifications.isSeen(entry.position, by: user)
                return (try DeliveredNotification(entry, silence: decision.reason(for: entry)), isSeen)
            },
            unread: try context.transaction.unread(of: user).notifications,
            next: page.next)
    }

    /// The answer: `notifications`, `unread` and `next`.
    package struct Answer: UseCaseAnswer {
        package let language: LanguageTag?
        package let notifications: [(notification: DeliveredNotification, isSeen: Bool)]
        /// Of all notifications.
        let unread: Int64
        package let next: String?

        package func write(to reply: inout JSONWriter) {
            reply.array("notifications") { reply in
                for entry in notifications {
                    entry.notification.write(in: language, isSeen: entry.isSeen, to: &reply)
                }
            }
            reply.member("unread", unread)
            if let next { reply.member("next", next) }
        }
    }
}

extension NotificationsCommand: AnsweredCommand {
    package var work: CommandWork { .readInLanguage { ListNotifications(self, deviceLanguage: $0) } }
}
