import JSON
package import Model

/// Events of chats.
extension Event {
    /// A new message.
    package static func message(seq: Position, _ message: ChatMessage) -> EncodedEvent {
        durable(seq, .message) { message.write(to: &$0) }
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
        _ name: EventName, _ seq: Position, _ chat: ChatID, _ user: UserID, _ n: MessageNumber
    ) -> EncodedEvent {
        durable(seq, name) {
            $0.member("chat", chat.text)
            $0.member("user", user.text)
            $0.member("n", n)
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
