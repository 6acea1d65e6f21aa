package import ClientProtocol
package import Execution
import Model
package import Store

/// Takes notifications away from every device.
///
/// - Confinement: store (the writer's thread)
package struct NotificationRemoval {
    private let context: WriteContext

    package init(in context: WriteContext) { self.context = context }

    private var transaction: WriteTransaction { context.transaction }

    /// Takes a notification from every device. The push of one that is replaced stays until the other is written, which
    /// decides.
    ///
    /// - Parameter isInbox: whether it lies in the inbox of one user.
    package func remove(_ entry: NotificationEntry, reason: RemovalReason, isInbox: Bool) throws {
        let others = try transaction.notifications.streams(of: entry).dropFirst()
        try transaction.notifications.remove(entry.position, reason: reason.rawValue, at: transaction.nextPosition)
        if reason == .retracted || reason == .replaced { try transaction.digests.revise(without: entry.position) }
        let event = Event.notificationRemoved(seq: transaction.nextPosition, id: entry.id, reason: reason)
        try transaction.append(
            event, to: entry.stream, isFollowed: !isInbox, recountsUnread: !isInbox,
            reach: others.isEmpty ? nil : PublicationReach(others: Array(others)))
        if reason != .replaced { try PushQueue(in: context).takeBack(entry, isInbox: isInbox) }
        guard isInbox, let user = try transaction.users.find(entry.stream) else { return }
        if try !transaction.notifications.isSeen(entry.position, by: user) {
            try transaction.users.addUnreadInbox(-1, to: user.id)
            context.countsChanged(of: user.id)
        }
    }

    /// Takes a notification from every device, wherever it lies.
    package func remove(_ entry: NotificationEntry, reason: RemovalReason) throws {
        try remove(entry, reason: reason, isInbox: transaction.users.find(entry.stream) != nil)
    }

    /// Writes a digest in an inbox again, at once, without what has lost its words; takes it away when nothing is left of it.
    package func revise(_ digest: NotificationEntry) throws {
        guard let subject = digest.collapse.flatMap(Digest.subject(ofCollapse:)),
            let user = try transaction.users.find(digest.stream)
        else { return }
        var notifier = Notifier(in: context)
        try Digest.revise(subject, of: user, in: context, &notifier)
    }

    /// Takes away the copies of a notification that came back after it had been snoozed.
    func removeCopies(of entry: NotificationEntry, reason: RemovalReason) throws {
        guard let path = entry.pathOfCopies else { return }
        try transaction.snoozes.cancelCopies(from: path, by: entry.trigger, about: entry.topic)
        for copy in try transaction.notifications.live(from: path, by: entry.trigger)
        where copy.change == nil && copy.broadcast == nil && copy.trigger == entry.trigger && copy.topic == entry.topic
        {
            try remove(copy, reason: reason, isInbox: true)
            if reason == .replaced { try PushQueue(in: context).takeBack(copy, isInbox: true) }
        }
    }
}

extension NotificationEntry {
    /// The path by which copies of it are found: the path of its document, or of its broadcast.
    var pathOfCopies: String? { path ?? broadcast.map { "broadcasts/\($0)" } }
}
