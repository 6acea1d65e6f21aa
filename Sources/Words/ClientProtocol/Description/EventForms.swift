package import Model

/// The members of the events beside `type`, from which the AsyncAPI document is made. A test holds them against the events as
/// they are written.
///
/// - Confinement: any
package enum EventForms {
    /// The members of an event.
    package static func members(of name: EventName) -> [ValueForm.Member] {
        switch name {
        case .message, .messageEdited: [seq, chat, number] + SharedForms.message
        case .messageDeleted:
            [
                seq, chat, number, .may("user", .person), .may("reason", .words(["moderated", "erased", "expired"])),
                .need("rev", .messageNumber), at, key,
            ]
        case .chatRenamed: [seq, chat, .need("to", .anyChat), at]
        case .reaction:
            [
                seq, chat, number, user, .need("emoji", .text(1...FieldLimits.emojiBytesMax)), on,
                .may("count", .count), at, key,
            ]
        case .read: [seq, chat, user, number, key]
        case .delivered: [seq, chat, user, number]
        case .room:
            [
                seq, .need("chat", .room), .need("change", .words(RoomChange.Kind.allCases.map(\.rawValue))),
                .may("user", .person), .may("users", .list(.person, 2...RoomLimits.namedMax)), .need("by", .person),
                .may("until", .time), at, key, .need("room", SharedForms.room),
            ]
        case .roomInvited: [seq] + SharedForms.invitation
        case .roomUninvited:
            [
                seq, .need("chat", .room),
                .need("reason", .words(InvitationEnd.allCases.map(\.rawValue))), at, key,
            ]
        case .archived: [seq, chat, on, key]
        case .notification:
            [.may("seq", .position, "Absent for those who are online alone.")] + SharedForms.notification
        case .notificationSeen: [seq, .may("upTo", .position), .may("ids", .list(SharedForms.notificationID))]
        case .notificationRemoved:
            [
                .may("seq", .position), .need("id", SharedForms.notificationID),
                .need("reason", .words(RemovalReason.allCases.map(\.rawValue))),
            ]
        case .notificationEdited:
            [
                seq, .need("id", SharedForms.notificationID), .need("title", .sentence), .need("body", .sentence),
                .need("data", .data),
            ]
        case .followed, .unfollowed: [seq, .need("topic", .storedTopic), key, .may("at", .time)]
        case .blocked, .unblocked: [seq, user, key, at]
        case .preferences: [seq, key, .need("preferences", SharedForms.preferences)]
        case .document:
            [seq, .need("path", .documentPath), .need("version", .count), key, SharedForms.dataOrNull]
        case .unread: SharedForms.counts
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
        case .documents: SharedForms.watched
        case .unwatched:
            [.need("path", .watchedPath), .need("reason", .words(ErrorCode.allCases.map(\.rawValue)))]
        }
    }

    private static let seq = SharedForms.seq
    private static let chat = SharedForms.chat
    private static let number = SharedForms.number
    private static let user = SharedForms.user
    private static let on = SharedForms.on
    private static let at = SharedForms.at
    private static let key = SharedForms.key
}
