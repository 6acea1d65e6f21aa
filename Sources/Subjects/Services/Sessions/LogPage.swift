import Execution
import JSON
package import Model
import Notifying
package import Store

/// The events of one user from a position on, a page at a time.
///
/// They are exactly the events that a session gets that is connected all the time: also notifications that were taken
/// away since, with their removal after them, and events of topics while the user followed them.
///
/// - Confinement: store (a reader's thread)
package struct LogPage: Sendable {
    /// The events in the order of positions, as they are sent.
    package let events: [(position: Position, bytes: [UInt8])]
    /// Everything up to here has been read: the last event's position, or the log's head when there is no more.
    package let upTo: Position
    /// Whether the log has more for the user after ``upTo``.
    package let hasMore: Bool

    /// Reads at most `limit` events after `position`.
    ///
    /// - Parameters:
    ///   - watched: the paths whose changes are read, too.
    ///   - head: the head of the log in this snapshot, if it was read already.
    /// - Throws: ``Trimmed`` when the log begins after `position`.
    package init(
        of user: UserEntry,
        after position: Position,
        deviceLanguage: LanguageTag?,
        limit: Int,
        watched: [WatchedStream] = [],
        head: Position? = nil,
        in transaction: Transaction
    ) throws {
        guard try position >= transaction.retention.from() else { throw Trimmed() }
        let head = try head ?? transaction.log.head()
        let positions = try WatchedChanges.merged(
            transaction.log.positions(of: user, after: position, limit: limit + 1),
            watched,
            after: position,
            limit: limit + 1,
            in: transaction
        )
        let language = user.language(onDevice: deviceLanguage)
        var decision = DeliveryDecision(of: user, in: transaction)
        var events: [(position: Position, bytes: [UInt8])] = []
        var bytes = 0
        var read = 0
        for position in positions.prefix(limit) where bytes < Limits.resumePageBytes {
            read += 1
            let event: [UInt8]
            switch try transaction.log.entry(at: position).content {
            case .event(let json):
                guard let read = try Self.event(json, at: position, in: language, decision, transaction) else {
                    continue
                }
                event = read
            case .notification(let entry):
                guard try decision.isFor(entry) else { continue }
                event = try DeliveredNotification(entry, silence: decision.reason(for: entry)).event(in: language)
            case .message(let n, let chat):
                guard let message = try Self.message(n, in: chat, at: position, for: user.id, transaction) else {
                    continue
                }
                event = message
            }
            events.append((position, event))
            bytes += event.count
        }
        self.events = events
        hasMore = read < positions.count
        upTo = hasMore ? positions[read - 1] : head
    }

    /// An event as it stands in the log; that of an edited notification has its words of now, and is nil when that is not for the
    /// reader.
    private static func event(
        _ json: String, at position: Position, in language: LanguageTag?, _ decision: DeliveryDecision,
        _ transaction: Transaction
    ) throws -> [UInt8]? {
        guard let edited = EditedNotificationEvent(json) else { return Array(json.utf8) }
        guard let entry = try transaction.notifications.findWritten(at: edited.notification),
            try decision.isFor(entry)
        else { return nil }
        return try DeliveredNotification(entry).editedEvent(at: position, in: language)
    }

    /// A message that was changed since it was sent, as it is now; nil when that was after the reader left the room.
    private static func message(
        _ n: MessageNumber, in chat: Int64, at position: Position, for reader: StreamID, _ transaction: Transaction
    ) throws -> [UInt8]? {
        guard let chat = try transaction.chats.find(number: chat) else {
            throw StoredValueProblem(place: "changes.stream, chat \(chat)")
        }
        if chat.isRoom {
            let bound = try transaction.rooms.readsUpTo(reader, chat.id, entry: position) ?? position
            let change = try transaction.messages.find(n, in: chat.id)?.changePosition
            guard change.map({ $0 <= bound }) ?? true else { return nil }
        }
        var reading = MessageReading(of: chat, for: reader, in: transaction)
        return try reading.event(of: n).json
    }

    /// The log no longer has the entries after a position.
    package struct Trimmed: Error {}
}

/// The event of an edited notification, as the log holds it: with the id alone.
///
/// - Confinement: any
private struct EditedNotificationEvent {
    /// The position of the notification.
    let notification: Position

    /// - Returns: nil for every other event.
    init?(_ json: String) {
        // It is short; others are not looked into.
        guard json.utf8.count < 100, StoredEvent.name(of: json) == .notificationEdited,
            let id = (try? JSONValue(parsing: Array(json.utf8)))?["id"]?.stringValue,
            let position = NotificationEntry.position(ofID: id)
        else { return nil }
        notification = position
    }
}
