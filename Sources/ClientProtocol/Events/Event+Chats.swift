import JSON
package import Model

/// Events of chats.
extension Event {
    /// A new message.
    package static func message(seq: Position, _ message: ChatMessage) -> [UInt8] {
        durable(seq, .message) { message.write(to: &$0) }
    }

    /// `user` has read everything up to `n`.
    package static func read(seq: Position, chat: ChatID, user: UserID, n: MessageNumber) -> [UInt8] {
        receipt(.read, seq, chat, user, n)
    }

    /// A device of `user` has everything up to `n`.
    package static func delivered(seq: Position, chat: ChatID, user: UserID, n: MessageNumber) -> [UInt8] {
        receipt(.delivered, seq, chat, user, n)
    }

    private static func receipt(
        _ name: EventName,
        _ seq: Position,
        _ chat: ChatID,
        _ user: UserID,
        _ n: MessageNumber
    ) -> [UInt8] {
        durable(seq, name) {
            $0.member("chat", chat.text)
            $0.member("user", user.text)
            $0.member("n", n)
        }
    }

    /// Whether `user` is writing.
    package static func typing(chat: ChatID, user: UserID, on: Bool) -> [UInt8] {
        ephemeral(.typing) {
            $0.member("chat", chat.text)
            $0.member("user", user.text)
            $0.member("on", on)
        }
    }

    /// Whether `user` is there, and when last if not.
    package static func presence(user: UserID, online: Bool, lastSeen: Timestamp? = nil) -> [UInt8] {
        ephemeral(.presence) {
            $0.member("user", user.text)
            $0.member("online", online)
            if let lastSeen { $0.member("lastSeen", lastSeen.text) }
        }
    }
}
