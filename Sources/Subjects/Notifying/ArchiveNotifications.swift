import ClientProtocol
package import Execution
package import Model
import Store

/// `archive` with `ids`: notifications disappear from every device of the user for good.
///
/// A notification of a topic that many follow stays with the others. It counts as seen by the user, whose lists leave
/// it out. A snoozed one does not come back. One that is archived, or was taken away meanwhile, is skipped: it is not
/// an error of the client.
///
/// - Confinement: any
package struct ArchiveNotifications: WriteUseCase {
    let ids: [String]
    package let key: WriteKey?

    package init(_ ids: [String], key: WriteKey?) {
        self.ids = ids
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("archive notifications")
        for id in ids { fingerprint.add(id) }
    }

    package func perform(in context: WriteContext) throws -> UnreadAnswer {
        let transaction = context.transaction
        let user = try transaction.reading.storedUser(try context.user().id)
        // Everything is checked before the first write: a command that writes and then refuses makes the writer do the
        // whole batch again.
        let found = try NotificationEntry.positions(ofIDs: ids).map { position, index in
            guard let found = try find(position, of: user, in: transaction) else {
                throw Refusal.noNotification(at: index)
            }
            return found
        }
        var count = 0
        for (entry, isSnoozed) in found {
            if isSnoozed { try transaction.snoozes.cancel(entry.position, of: user.id) }
            if try archive(entry, isSnoozed: isSnoozed, user, in: context) { count += 1 }
        }
        if count > 0 { transaction.note(.archived(user: user.id, count: count)) }
        return try UnreadAnswer(of: user.id, at: transaction.head, in: transaction)
    }

    /// The notification that was written at a position, and whether the user has snoozed it; nil when it is not the
    /// user's.
    private func find(
        _ position: Position, of user: UserEntry, in transaction: WriteTransaction
    ) throws -> (entry: NotificationEntry, isSnoozed: Bool)? {
        let isSnoozed = try transaction.snoozes.contains(position, of: user.id)
        // The user may have stopped following the topic of one that is snoozed or archived.
        guard let entry = try transaction.notifications.findWritten(at: position),
            try isSnoozed || transaction.archived.contains(position, of: user.id)
                || transaction.notifications.isReadable(entry, by: user)
        else { return nil }
        return (entry, isSnoozed)
    }

    /// - Returns: false when it is archived already, or was taken away meanwhile.
    private func archive(
        _ entry: NotificationEntry, isSnoozed: Bool, _ user: UserEntry, in context: WriteContext
    ) throws -> Bool {
        let transaction = context.transaction
        let isThere = try transaction.notifications.find(entry.position) != nil
        if entry.stream == user.id {
            if isThere {
                try NotificationRemoval(in: context).remove(entry, reason: .archived, isInbox: true)
                return true
            }
            // A snoozed one is off the devices, the counts and the pushes already.
            guard isSnoozed else { return false }
            try transaction.notifications.remove(
                entry.position, reason: RemovalReason.archived.rawValue, at: transaction.nextPosition)
            try tell(entry, user, in: transaction)
            return true
        }
        guard isThere, try !transaction.archived.contains(entry.position, of: user.id) else { return false }
        if try !transaction.notifications.isSeen(entry.position, by: user) {
            try transaction.topicCounts.willSeeOne(user, at: transaction.head)
        }
        try transaction.notifications.setSeen(entry.position, by: user.id)
        try transaction.archived.put(entry.position, of: user.id, at: tell(entry, user, in: transaction))
        context.countsChanged(of: user.id)
        try PushQueue(in: context).takeBack(entry.position, from: user.id)
        return true
    }

    @discardableResult
    private func tell(
        _ entry: NotificationEntry, _ user: UserEntry, in transaction: WriteTransaction
    ) throws -> Position {
        let event = Event.notificationRemoved(seq: transaction.nextPosition, id: entry.id, reason: .archived)
        return try transaction.append(event, to: user.id)
    }
}
