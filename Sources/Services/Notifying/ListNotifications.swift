package import ClientProtocol
package import JSON
package import Model
import Store

/// `notifications`: the merge of the caller's own and those of followed topics, newest first, in his language.
///
/// - Confinement: any
package struct ListNotifications: ReadUseCase {
    let command: Command.Notifications
    /// The language of the device that asks, when the user chose none.
    let deviceLanguage: LanguageTag?

    package init(_ command: Command.Notifications, deviceLanguage: LanguageTag?) {
        self.command = command
        self.deviceLanguage = deviceLanguage
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let user = try context.user()
        let notifications = context.transaction.notifications
        let before = try Cursor.number(command.before, field: "before") ?? Position.bound
        let page = try notifications.page(
            of: user,
            before: Position(before),
            onlyUnread: command.isUnreadOnly,
            at: context.now,
            limit: command.limit + 1
        )
        let language = user.language ?? deviceLanguage ?? user.deviceLanguage
        var decision = DeliveryDecision(of: user, in: context.transaction)
        reply.name("notifications")
        reply.beginArray()
        for entry in page.prefix(command.limit) {
            let isSeen = try notifications.isSeen(entry.position, by: user)
            try DeliveredNotification(entry, silence: decision.reason(for: entry)).write(
                in: language, isSeen: isSeen, to: &reply)
        }
        reply.endArray()
        reply.member("unread", try context.transaction.unread(of: user).notifications)
        if page.count > command.limit { reply.member("next", String(page[command.limit - 1].position.value)) }
    }
}
