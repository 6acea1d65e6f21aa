import JSON
package import Model

/// Events of chats.
extension Event {
    /// A new message.
    package static func message(seq: Position, _ message: ChatMessage) -> EncodedEvent {
        durable(seq, .message) { message.write(to: &$0) }
    }

    /// A message has another text.
    package static func messageEdited(
        seq: Position,
        chat: ChatID,
        n: MessageNumber,
        text: String,
        at: Timestamp
    ) -> EncodedEvent {
        durable(seq, .messageEdited) {
            $0.member("chat", chat.text)
            $0.member("n", n)
            $0.member("text", text)
            $0.member("at", at.text)
        }
    }

    /// A message was taken back; its number stays.
    package static func messageDeleted(seq: Position, chat: ChatID, n: MessageNumber, at: Timestamp) -> EncodedEvent {
        durable(seq, .messageDeleted) {
            $0.member("chat", chat.text)
            $0.member("n", n)
            $0.member("at", at.text)
        }
    }

    /// `user` has put `emoji` on a message, or taken it away.
    package static func reaction(
        seq: Position,
        chat: ChatID,
        n: MessageNumber,
        user: UserID,
        emoji: String,
        on: Bool
    ) -> EncodedEvent {
        durable(seq, .reaction) {
            $0.member("chat", chat.text)
            $0.member("n", n)
            $0.member("user", user.text)
            $0.member("emoji", emoji)
            $0.member("on", on)
        }
    }

    /// `user` has read everything up to `n`.
    package static func read(seq: Position, chat: ChatID, user: UserID, n: MessageNumber) -> EncodedEvent {
        receipt(.read, seq, chat, user, n)
    }

    /// A device of `user` has everything up to `n`.
    package static func delivered(seq: Position, chat: ChatID, user: UserID, n: MessageNumber) -> EncodedEvent {
        receipt(.delivered, seq, chat, user, n)
    }

    private static func receipt(
        _ name: EventName,
        _ seq: Position,
        _ chat: ChatID,
        _ user: UserID,
        _ n: MessageNumber
    ) -> EncodedEvent {
        durable(seq, name) {
            $0.member("chat", chat.text)
            $0.member("user", user.text)
            $0.member("n", n)
        }
    }

    /// A change of a group.
    package enum RoomChange: String, Sendable, Hashable, CaseIterable {
        case created, invited, left
    }

    /// A group was changed by `user`; `members` are the people of the change: all, the invited, or the one who left.
    package static func room(
        seq: Position,
        chat: ChatID,
        change: RoomChange,
        by user: UserID,
        title: String,
        members: [UserID]
    ) -> EncodedEvent {
        durable(seq, .room) {
            $0.member("chat", chat.text)
            $0.member("change", change.rawValue)
            $0.member("user", user.text)
            $0.member("title", title)
            $0.name("members")
            $0.beginArray()
            for member in members { $0.string(member.text) }
            $0.endArray()
        }
    }

    /// Whether `user` is writing.
    package static func typing(chat: ChatID, user: UserID, on: Bool) -> EncodedEvent {
        ephemeral(.typing) {
            $0.member("chat", chat.text)
            $0.member("user", user.text)
            $0.member("on", on)
        }
    }

    /// Whether `user` is online, and if not, the time of the last connection.
    package static func presence(user: UserID, online: Bool, lastSeen: Timestamp? = nil) -> EncodedEvent {
        ephemeral(.presence) {
            $0.member("user", user.text)
            $0.member("online", online)
            if let lastSeen { $0.member("lastSeen", lastSeen.text) }
        }
    }
}
