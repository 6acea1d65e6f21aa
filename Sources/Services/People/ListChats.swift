package import ClientProtocol
package import JSON
import Model
import Store

/// `chats`: the caller's chats, newest first, each with its last message and what is unread.
///
/// - Confinement: any
package struct ListChats: ReadUseCase {
    let command: Command.Chats

    package init(_ command: Command.Chats) { self.command = command }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let user = try context.user()
        let preferences = DeliveryPreferences.stored(user.preferences)
        let before = try Cursor.number(command.before, field: "before") ?? Position.bound
        let lines = try context.transaction.chats.list(
            of: user.id,
            before: Position(before),
            limit: command.limit + 1
        )
        reply.name("chats")
        reply.beginArray()
        for line in lines.prefix(command.limit) {
            let isMuted = preferences?.isMuted(line.chat.name, at: context.now) ?? false
            try write(line, for: user, isMuted: isMuted, in: context, to: &reply)
        }
        reply.endArray()
        if lines.count > command.limit {
            reply.member("next", String(lines[command.limit - 1].chat.lastPosition.value))
        }
    }

    private func write(
        _ line: ChatLine,
        for user: UserEntry,
        isMuted: Bool,
        in context: ReadContext,
        to reply: inout JSONWriter
    ) throws {
        let transaction = context.transaction
        reply.beginObject()
        reply.member("chat", line.chat.name.text)
        if let other = line.chat.name.other(than: user.name) { reply.member("with", other.text) }
        if let last = try transaction.messages.find(line.chat.last, in: line.chat.id) {
            reply.name("last")
            var writer = MessageWriter(transaction: transaction, chat: line.chat.name)
            try writer.write(last, to: &reply)
        }
        reply.member("unread", line.own.unread)
        reply.member("read", line.own.read)
        let others = try transaction.chats.members(of: line.chat.id).filter { $0.user != user.id }
        reply.member("peerRead", others.map(\.read).max() ?? 0)
        reply.member("muted", isMuted)
        reply.endObject()
    }
}
