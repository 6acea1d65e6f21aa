package import ClientProtocol
package import Execution
package import JSON
import Model
import Notifying
import Store

/// `chats`: the caller's chats, newest first, each with its last message and its unread count.
///
/// - Confinement: any
package struct ListChats: ReadUseCase {
    let command: ChatsCommand

    package init(_ command: ChatsCommand) { self.command = command }

    package func perform(in context: ReadContext) throws -> Answer {
        let user = try context.user()
        let preferences = DeliveryPreferences.stored(user.preferences)
        let before = try Cursor.number(command.before, field: "before") ?? Position.bound
        let lines = try context.transaction.chats.list(
            of: user.id,
            before: Position(before),
            limit: command.limit + 1
        )
        let page = Page(lines, limit: command.limit) { String($0.chat.lastPosition.value) }
        return Answer(
            chats: try page.entries.map { line in
                let isMuted = preferences?.isMuted(line.chat.name, at: context.now) ?? false
                return try chat(line, for: user, isMuted: isMuted, in: context.transaction)
            },
            next: page.next)
    }

    private func chat(
        _ line: ChatLine,
        for user: UserEntry,
        isMuted: Bool,
        in transaction: Transaction
    ) throws -> Answer.Chat {
        var messages = MessageReading(transaction: transaction, chat: line.chat.name)
        let others = try transaction.chats.members(of: line.chat.id).filter { $0.user != user.id }
        return Answer.Chat(
            name: line.chat.name,
            other: line.chat.name.other(than: user.name),
            last: try transaction.messages.find(line.chat.last, in: line.chat.id).map { try messages.listed($0) },
            unread: line.own.unread,
            read: line.own.read,
            readByOthers: others.map(\.read).max() ?? 0,
            isMuted: isMuted)
    }

    /// The answer: `chats` and `next`. A chat has `chat`, `with`, `last`, `unread`, `read`, `peerRead` and `muted`.
    package struct Answer: UseCaseAnswer {
        struct Chat: Sendable {
            let name: ChatID
            /// Nil in a group.
            let other: UserID?
            let last: ListedMessage?
            /// How many messages the caller has not read.
            let unread: Int64
            /// Up to which message the caller has read.
            let read: MessageNumber
            let readByOthers: MessageNumber
            let isMuted: Bool
        }

        let chats: [Chat]
        let next: String?

        package func write(to reply: inout JSONWriter) {
            reply.array("chats") { reply in
                for chat in chats {
                    reply.beginObject()
                    reply.member("chat", chat.name.text)
                    if let other = chat.other { reply.member("with", other.text) }
                    if let last = chat.last {
                        reply.name("last")
                        last.write(to: &reply)
                    }
                    reply.member("unread", chat.unread)
                    reply.member("read", chat.read)
                    reply.member("peerRead", chat.readByOthers)
                    reply.member("muted", chat.isMuted)
                    reply.endObject()
                }
            }
            if let next { reply.member("next", next) }
        }
    }
}

extension ChatsCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListChats(self)) }
}
