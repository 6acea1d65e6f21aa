package import Model

/// The members of the events beside `type`, from which the AsyncAPI document is made. A test holds them against the events as
/// they are written.
///
/// - Confinement: any
package enum EventForms {
    /// The members of an event.
    package static func members(of name: EventName) -> [ValueForm.Member] {
        switch name {
        case .message: [seq, chat, number] + message
        case .messageEdited: [seq, chat, number] + message
        case .messageDeleted:
            [seq, chat, number, .may("user", .sentence), .may("reason", .sentence), .may("rev", .count), at, key]
        case .chatRenamed: [seq, chat, .need("to", .sentence), at]
        case .reaction: [seq, chat, number, user, .need("emoji", .sentence), on, at, key]
        case .read, .delivered: [seq, chat, user, number, key]
        case .room:
            [
                seq, chat, .need("change", .sentence), .may("user", .sentence), .may("users", .list(.sentence)),
                .need("by", .sentence), .may("until", .time), at, key, .need("room", .open),
            ]
        case .archived: [seq, chat, on, key]
        case .notification: [.may("seq", .position, "Absent for those who are online alone.")] + notification
        case .notificationSeen: [seq, .may("upTo", .position), .may("ids", .list(.sentence))]
        case .notificationRemoved:
            [
                .may("seq", .position), .need("id", .sentence),
                .need("reason", .words(RemovalReason.allCases.map(\.rawValue))),
            ]
        case .followed, .unfollowed: [seq, .need("topic", .sentence), key, .may("at", .time)]
        case .blocked, .unblocked: [seq, user, key, at]
        case .preferences: [seq, key, .need("preferences", .open)]
        case .document:
            [seq, .need("path", .sentence), .need("version", .count), key, .need("data", .either([.open, .null]))]
        case .unread: [.need("chats", .count), .need("notifications", .count)]
        case .typing: [chat, user, on]
        case .presence: [user, .need("online", .flag), .may("lastSeen", .time)]
        case .live: [seq]
        case .reset: [.need("reason", .words(Event.ResetReason.allCases.map(\.rawValue)))]
        case .expiring: [at]
        case .drain: [.need("inMs", .count)]
        case .bye:
            [
                .need("code", .integer(1000...4999)), .need("reason", .sentence), .may("reconnectInMs", .count),
                .may("session", .sentence),
            ]
        case .beat: [.need("events", .count), seq]
        case .documents: [.need("path", .sentence), .may("documents", .list(.open))]
        case .unwatched: [.need("path", .sentence), .need("reason", .sentence)]
        }
    }

    private static let seq = ValueForm.Member.need("seq", .position)
    private static let chat = ValueForm.Member.need("chat", .sentence)
    private static let number = ValueForm.Member.need("n", .count)
    private static let user = ValueForm.Member.need("user", .sentence)
    private static let on = ValueForm.Member.need("on", .flag)
    private static let at = ValueForm.Member.need("at", .time)
    private static let key = ValueForm.Member.may("key", .key, "The key of the command that caused it.")

    private static let message: [ValueForm.Member] = [
        .need("from", .sentence), at, key, .may("text", .sentence), .may("product", .open), .may("replyTo", .count),
        .may("rev", .count), .may("editedAt", .time), .may("deleted", .flag), .may("reactions", .list(.open)),
    ]
    private static let notification: [ValueForm.Member] = [
        .need("id", .sentence), .need("kind", .sentence),
        .need("level", .words(InterruptionLevel.allCases.map(\.rawValue))), .need("title", .sentence),
        .need("body", .sentence), .need("data", .open), .need("topic", .sentence), .may("topics", .list(.sentence)), at,
        .may("expires", .time), .may("collapse", .sentence), .may("alert", .flag), .may("reason", .sentence),
    ]
}
