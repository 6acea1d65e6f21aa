import JSON
package import Model

/// Events of chats.
extension Event {
    /// A new message.
    package static func message(seq: Position, _ message: ChatMessage) -> EncodedEvent {
        durable(seq, .message) { message.write(to: &$0) }
    }

    /// A message has another text.
    ///
    /// - Parameter message: as it is now, with the key of the edit.
    package static func messageEdited(seq: Position, _ message: ChatMessage) -> EncodedEvent {
        durable(seq, .messageEdited) { message.write(to: &$0) }
    }

    /// `user` has deleted a message; without a user, the reason says why it is gone.
    package static func messageDeleted(
        seq: Position, chat: ChatID, n: MessageNumber, user: UserID?, reason: String? = nil, rev: Int64, at: Timestamp,
        key: WriteKey?
    ) -> EncodedEvent {
        durable(seq, .messageDeleted) {
            $0.member("chat", chat)
            $0.member("n", n)
            if let user { $0.member("user", user.text) }
            if let reason { $0.member("reason", reason) }
            $0.member("rev", rev)
            $0.member("at", at)
            if let key { $0.member("key", key.text) }
        }
    }

    /// The other person of a chat was erased: the chat goes on under another id.
    package static func chatRenamed(seq: Position, chat: ChatID, to new: ChatID, at: Timestamp) -> EncodedEvent {
        durable(seq, .chatRenamed) {
            $0.member("chat", chat)
            $0.member("to", new.text)
            $0.member("at", at)
        }
    }

    /// `user` has reacted to a message, or has taken the reaction back.
    /// - Parameter count: How many people have given the emoji to the message now.
    package static func reaction(
        seq: Position, _ command: ReactCommand, user: UserID, count: Int64, at: Timestamp
    ) -> EncodedEvent {
        durable(seq, .reaction) {
            $0.member("chat", command.chat)
            $0.member("n", command.n)
            $0.member("user", user.text)
            $0.member("emoji", command.emoji)
            $0.member("on", command.isOn)
            $0.member("count", count)
            $0.member("at", at)
            if let key = command.key { $0.member("key", key.text) }
        }
    }

    /// `user` has read everything up to `n`.
    package static func read(
        seq: Position, chat: ChatID, user: UserID, n: MessageNumber, key: WriteKey? = nil
    ) -> EncodedEvent {
        receipt(.read, seq, chat, user, n, key)
    }

    /// A device of `user` has everything up to `n`.
    package static func delivered(seq: Position, chat: ChatID, user: UserID, n: MessageNumber) -> EncodedEvent {
        receipt(.delivered, seq, chat, user, n)
    }

    private static func receipt(
        _ name: EventName, _ seq: Position, _ chat: ChatID, _ user: UserID, _ n: MessageNumber,
        _ key: WriteKey? = nil
    ) -> EncodedEvent {
        durable(seq, name) {
            $0.member("chat", chat)
            $0.member("user", user.text)
            $0.member("n", n)
            if let key { $0.member("key", key.text) }
        }
    }

    /// The user has put a chat away, or has taken it back.
    package static func archived(seq: Position, _ chat: ChatID, isOn: Bool, key: WriteKey?) -> EncodedEvent {
        durable(seq, .archived) {
            $0.member("chat", chat)
            $0.member("on", isOn)
            if let key { $0.member("key", key.text) }
        }
    }

    /// Whether `user` is writing.
    package static func typing(chat: ChatID, user: UserID, on: Bool) -> EncodedEvent {
        ephemeral(.typing) {
            $0.member("chat", chat)
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
