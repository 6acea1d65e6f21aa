package import ClientProtocol
package import Execution
package import JSON
package import Model
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
        let others = page.entries.compactMap { $0.chat.name.other(than: user.name) }
        let profiles = try ProfileReading(of: others, in: context)
        return Answer(
            chats: try page.entries.map { line in
                let isMuted = preferences?.isMuted(line.chat.name, at: context.now) ?? false
                return try chat(line, for: user, profiles, isMuted: isMuted, in: context.transaction)
            },
            next: page.next)
    }

    private func chat(
        _ line: ChatLine,
        for user: UserEntry,
        _ profiles: ProfileReading,
        isMuted: Bool,
        in transaction: Transaction
    ) throws -> Answer.Chat {
        var messages = MessageReading(of: line.chat, for: user.id, in: transaction)
        let other = line.chat.name.other(than: user.name)
        let standing =
            try line.chat.isRoom
            ? ConversationRights(transaction: transaction).memberRoom(line.chat, of: user.id).standing : nil
        return Answer.Chat(
            name: line.chat.name,
            other: other,
            standing: standing,
            profile: other.map { profiles[$0] } ?? [],
            last: line.chat.last >= standing?.first ?? 1 ? try messages.listed(line.chat.last) : nil,
            unread: line.own.unread,
            read: line.own.read,
            readByOthers: standing?.isLarge == true
                ? nil : try transaction.rooms.furthestRead(in: line.chat.id, besides: user.id),
            isMuted: isMuted,
            isArchived: line.isArchived)
    }

    /// The answer: `chats` and `next`. A chat has `chat`, `with`, `profile`, `last`, `unread`, `read`, `peerRead`, `muted`
    /// and `archived`; a room has `title`, `role` and `members` in place of `with`.
    package struct Answer: UseCaseAnswer {
        /// One line of the list.
        package struct Chat: Sendable {
            package let name: ChatID
            /// Nil in a group.
            let other: UserID?
            /// Nil in a pair.
            let standing: RoomStanding?
            /// Members of the other person's document.
            let profile: [(name: String, json: String)]
            package var last: ListedMessage?
            /// How many messages the caller has not read.
            let unread: Int64
            /// Up to which message the caller has read.
            package let read: MessageNumber
            /// Nil in a large room.
            let readByOthers: MessageNumber?
            let isMuted: Bool
            let isArchived: Bool

            /// The members of the entry, into the object that is open.
            package func writeMembers(to reply: inout JSONWriter) {
                reply.member("chat", name.text)
                if let other { reply.member("with", other.text) }
                if let standing {
                    reply.member("title", standing.settings.title)
                    reply.member("role", standing.member.role.rawValue)
                    reply.member("members", standing.room.members)
                }
                if !profile.isEmpty {
                    reply.name("profile")
                    reply.beginObject()
                    for (name, json) in profile {
                        reply.name(name)
                        reply.raw(Array(json.utf8))
                    }
                    reply.endObject()
                }
                if let last {
                    reply.name("last")
                    last.write(to: &reply)
                }
                reply.member("unread", unread)
                reply.member("read", read)
                if let readByOthers { reply.member("peerRead", readByOthers) }
                reply.member("muted", isMuted)
                reply.member("archived", isArchived)
            }
        }

        package let chats: [Chat]
        package let next: String?

        package func write(to reply: inout JSONWriter) {
            reply.array("chats") { reply in
                for chat in chats {
                    reply.beginObject()
                    chat.writeMembers(to: &reply)
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
