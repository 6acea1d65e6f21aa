import ClientProtocol
import Execution
import Model
import Store
import Triggers

/// A digest in an inbox lists nothing that was taken back, and lists what was corrected as it is now.
extension Digest {
    /// Writes the digest of a subject again with the entries that are left, or takes it away when none is left.
    ///
    /// It interrupts nobody: a user who got a longer list does not need a signal for a shorter one.
    ///
    /// - Parameter losesWords: whether one of the entries was edited: then nobody gets the digest that stood before.
    static func revise(
        _ subject: DigestSubject, of user: UserEntry, losesWords: Bool = false, in context: WriteContext,
        _ notifier: inout Notifier
    ) throws {
        let transaction = context.transaction
        let told = try transaction.digests.entries(of: user.id, subject.name)
        context.engine.meter.charge(told.count * TriggerLimits.rowWork / 2)
        guard let standing = try transaction.notifications.find(collapse: collapse(of: subject), in: user.id) else {
            // The user's client may have taken it away.
            return try transaction.digests.setEntries([], of: user.id, subject.name)
        }
        let left = try told.compactMap { try entryNow(at: $0, for: user, in: transaction) }
            .sorted { $0.position > $1.position }
        try transaction.digests.setEntries(left.map(\.position), of: user.id, subject.name)
        // Its title may be that of a notification whose words are gone.
        let losesWords =
            try losesWords
            || told.contains { try transaction.notifications.findWritten(at: $0)?.isBlank == true }
        guard !left.isEmpty else {
            try NotificationRemoval(in: context).remove(standing, reason: .retracted, isInbox: true)
            if losesWords { try transaction.notifications.blank(standing.position, texts: StoredTexts.none.json) }
            return
        }
        let isSeen = try transaction.notifications.isSeen(standing.position, by: user)
        var draft = try Digest(subject, telling: left).draft(for: user, in: context)
        draft.interruption = Interruption(
            silence: standing.silence ?? .updated, origin: standing.origin ?? standing.position)
        _ = try notifier.notify(.user(user.name), draft)
        if losesWords { try transaction.notifications.blank(standing.position, texts: StoredTexts.none.json) }
        if isSeen { try seeNewest(of: user, in: transaction) }
    }

    /// Marks the notification that was just written into an inbox as seen.
    private static func seeNewest(of user: UserEntry, in transaction: WriteTransaction) throws {
        let position = transaction.head
        try transaction.notifications.setSeen(position, by: user.id)
        try transaction.users.addUnreadInbox(-1, to: user.id)
        let event = Event.notificationSeen(
            seq: transaction.nextPosition, .ids([NotificationEntry.id(of: position)]))
        try transaction.append(event, to: user.id)
    }

    /// The notification that was written at a position, or the one that brings it up to date; nil when it was taken back,
    /// archived by the user, or replaced by one that the digest lists by itself.
    private static func entryNow(
        at position: Position, for user: UserEntry, in transaction: WriteTransaction
    ) throws -> NotificationEntry? {
        let notifications = transaction.notifications
        guard try !transaction.archived.contains(position, of: user.id) else { return nil }
        if let live = try notifications.find(position) { return live }
        guard let gone = try notifications.findWritten(at: position), let collapse = gone.collapse,
            let newer = try notifications.find(collapse: collapse, in: gone.stream),
            newer.origin == gone.origin ?? gone.position, try notifications.isReadable(newer, by: user),
            try !transaction.archived.contains(newer.position, of: user.id)
        else { return nil }
        return newer
    }
}
