/// Every event that the server sends; the raw value is the `type` on the wire.
///
/// - Confinement: any
package enum EventName: String, Sendable, Hashable, CaseIterable {
    case message, read, delivered, notification, followed, unfollowed, preferences, document
    case messageEdited = "message.edited"
    case messageDeleted = "message.deleted"
    case chatRenamed = "chat.renamed"
    case reaction, archived, room, blocked, unblocked
    case roomInvited = "room.invited"
    case roomUninvited = "room.uninvited"
    case notificationSeen = "notification.seen"
    case notificationRemoved = "notification.removed"
    case notificationEdited = "notification.edited"

    case unread, typing, presence, live, reset, expiring, drain, bye, beat, documents, unwatched

    /// Whether the event is in the log: then it is sent again after a loss, and counted in `beat`.
    package var isDurable: Bool {
        switch self {
        case .message, .read, .delivered, .notification, .followed, .unfollowed, .preferences, .document,
            .notificationSeen, .notificationRemoved, .notificationEdited, .messageEdited, .messageDeleted, .reaction,
            .archived, .room, .roomInvited, .roomUninvited, .blocked, .unblocked, .chatRenamed:
            true
        case .unread, .typing, .presence, .live, .reset, .expiring, .drain, .bye, .beat, .documents, .unwatched: false
        }
    }
}
