import ClientProtocol
import Model
import Store
import Triggers

/// A digest that stands tells of nothing that was taken back, and of what was corrected as it is now.
extension Digest {
    /// Writes the digest of a subject anew, with what is left of what it tells of; takes it away with the last.
    ///
    /// Nobody is interrupted by it: whoever was told of more need not be told of less.
    static func revise(_ subject: DigestSubject, of user: UserEntry, in context: WriteContext) throws {
        let transaction = context.transaction
        let told = try transaction.digests.entries(of: user.id, subject.name)
        context.engine.meter.charge(told.count * TriggerLimits.rowWork / 2)
        guard let standing = try transaction.notifications.find(collapse: collapse(of: subject), in: user.id) else {
            // Its owner's client may have taken it away.
            return try transaction.digests.setEntries([], of: user.id, subject.name)
        }
        let left = try told.compactMap { try transaction.standing(at: $0, for: user) }
            .sorted { $0.position > $1.position }
        try transaction.digests.setEntries(left.map(\.position), of: user.id, subject.name)
        guard !left.isEmpty else { return try context.remove(standing, reason: .retracted, isInbox: true) }
        let isSeen = try transaction.notifications.isSeen(standing.position, by: user)
        var draft = try Digest(subject, telling: left).draft(for: user, in: context)
        draft.interruption = Interruption(
            silence: standing.silence ?? .updated, origin: standing.origin ?? standing.position)
        _ = try context.notify(.user(user.name), draft)
        if isSeen { try context.seeNewest(of: user) }
    }
}

extension WriteContext {
    /// The notification that was just written into an inbox is one that its owner has seen.
    fileprivate func seeNewest(of user: UserEntry) throws {
        let position = transaction.head
        try transaction.notifications.setSeen(position, by: user.id)
        try transaction.users.addUnreadInbox(-1, to: user.id)
        let event = Event.notificationSeen(
            seq: transaction.nextPosition, .ids([NotificationEntry.id(of: position)]))
        try transaction.append(event, to: user.id)
    }
}

extension Transaction {
    /// The notification that was written at a position, or what only brings it up to date; nil when it was taken back, or
    /// replaced by something that is told of by itself.
    fileprivate func standing(at position: Position, for user: UserEntry) throws -> NotificationEntry? {
        if let live = try notifications.find(position) { return live }
        guard let gone = try notifications.findWritten(at: position), let collapse = gone.collapse,
            let newer = try notifications.find(collapse: collapse, in: gone.stream),
            newer.origin == gone.origin ?? gone.position, try notifications.isReadable(newer, by: user)
        else { return nil }
        return newer
    }
}
