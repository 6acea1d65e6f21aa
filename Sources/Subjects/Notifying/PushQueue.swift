package import Execution
package import Model
package import Push
package import Store

/// Queues the pushes of notifications and messages in the transaction that writes them, and takes back the pushes of those
/// that are removed, seen or read.
///
/// While no device is registered, each call costs one look at a value in memory.
///
/// - Confinement: store (the writer's thread)
package struct PushQueue {
    private let context: WriteContext

    package init(in context: WriteContext) { self.context = context }

    private var transaction: WriteTransaction { context.transaction }
    private var jobs: PushJobTable<WriteAccess> { transaction.pushJobs }

    // MARK: Notifications

    /// Queues the push of a notification that was just written.
    ///
    /// The job exists if the notification may ring (its level is above passive, and nothing silences it) and somebody who
    /// might read it has a device. One that only brings an earlier one up to date changes the push of the earlier one: if
    /// that was not sent yet, it rings with the present text; if it was, a quiet update replaces it on the screen.
    ///
    /// - Parameter replaced: the notifications that it replaces.
    func add(_ entry: NotificationEntry, isInbox: Bool, replacing replaced: [NotificationEntry] = []) throws {
        guard try transaction.pushDevices.hasAny() else { return }
        switch (entry.level, entry.silence) {
        case (.passive, _), (_, .muted), (_, .quietHours), (_, .level), (_, .digest), (_, .throttled):
            for earlier in replaced { try takeBack(earlier, isInbox: isInbox) }
        case (_, .updated):
            for earlier in replaced { try update(earlier, to: entry) }
        case (_, nil):
            for earlier in replaced { try end(earlier.position, reason: "replaced") }
            guard try !isInbox || transaction.pushDevices.exists(of: entry.stream) else { return }
            let kind: PushKind = entry.kind == NotificationFacts.digestKind ? .digest : .notification
            try jobs.insert(draft(kind, entry, isShared: !isInbox))
        }
    }

    private func draft(_ kind: PushKind, _ entry: NotificationEntry, isShared: Bool) -> PushJobDraft {
        var draft = PushJobDraft(
            kind, at: entry.position, in: entry.stream, entry.level, expires: entry.expires, committed: context.now)
        draft.isShared = isShared
        return draft
    }

    /// The push of an earlier version becomes the push of the present one.
    private func update(_ earlier: NotificationEntry, to entry: NotificationEntry) throws {
        let moved = try jobs.jobs(about: earlier.position).filter { $0.kind != .withdrawal }
        for job in moved {
            let ends = PushLifetime.end(of: job.kind, entry.level, expires: entry.expires, committed: job.at)
            try jobs.move(job.id, to: entry.position, entry.level, ends: ends)
        }
        guard let first = moved.first(where: { $0.kind != .quietUpdate }), first.state != .waiting, first.pushed > 0
        else { return }
        try updateQuietly(first, to: entry, among: moved)
    }

    /// Queues a quiet update of a notification that some devices show in an earlier version.
    ///
    /// - Parameter job: the job that has sent the earlier version.
    package func updateQuietly(_ job: PushJobEntry, to entry: NotificationEntry) throws {
        try updateQuietly(job, to: entry, among: jobs.jobs(about: entry.position))
    }

    private func updateQuietly(_ job: PushJobEntry, to entry: NotificationEntry, among known: [PushJobEntry]) throws {
        guard !known.contains(where: { $0.kind == .quietUpdate && $0.state == .waiting }) else { return }
        var quiet = draft(.quietUpdate, entry, isShared: job.isShared)
        quiet.previous = job.id
        try jobs.insert(quiet)
    }

    /// Brings the screens up to date that show a notification with words that it has no more.
    func renew(_ entry: NotificationEntry) throws {
        guard try transaction.pushDevices.hasAny() else { return }
        let all = try jobs.jobs(about: entry.position)
        guard !all.contains(where: { $0.kind == .withdrawal }),
            let first = all.first(where: { $0.kind != .quietUpdate }), first.state != .waiting, first.pushed > 0
        else { return }
        try updateQuietly(first, to: entry, among: all)
    }

    private func end(_ position: Position, reason: String) throws {
        for job in try jobs.jobs(about: position) where job.kind != .withdrawal {
            try jobs.end(job.id, reason: reason)
        }
    }

    // MARK: Taking back

    /// Takes back the push of a notification that is removed from every device, or replaced by one that does not ring.
    package func takeBack(_ entry: NotificationEntry, isInbox: Bool) throws {
        guard try transaction.pushDevices.hasAny() else { return }
        try end(entry.position, reason: "removed")
        if isInbox { return try transaction.pushGone.takeBack(entry.position, from: entry.stream, at: context.now) }
        let all = try jobs.jobs(about: entry.position)
        guard !all.contains(where: { $0.kind == .withdrawal }), let job = all.first, job.pushed > 0 else { return }
        var withdrawal = PushJobDraft(
            .withdrawal, at: entry.position, in: entry.stream, entry.level, committed: context.now)
        withdrawal.isShared = true
        withdrawal.previous = job.id
        try jobs.insert(withdrawal)
    }

    /// Takes back the push of a notification from the devices of one user, who has seen it.
    func takeBack(_ position: Position, from user: StreamID) throws {
        guard try transaction.pushDevices.hasAny() else { return }
        try transaction.pushGone.takeBack(position, from: user, at: context.now)
    }

    /// Takes back the pushes of all notifications up to a position from the devices of one user, who has seen them.
    func takeBack(upTo position: Position, from user: StreamID) throws {
        guard try transaction.pushDevices.hasAny() else { return }
        try transaction.pushGone.takeBack(upTo: position, from: user, at: context.now)
    }

    /// Takes back all that the devices of one user show, who may not come in any more.
    package func takeBackAll(from user: StreamID) throws {
        guard try transaction.pushDevices.hasAny() else { return }
        try transaction.pushGone.takeBackAll(from: user, at: context.now)
    }

    /// Takes back the push of a chat from the devices of a member who has read some messages.
    ///
    /// - Parameter newlyRead: the numbers of these messages.
    package func takeBack(
        messages newlyRead: ClosedRange<MessageNumber>, of chat: ChatEntry, from user: StreamID
    ) throws {
        guard try transaction.pushDevices.hasAny() else { return }
        try transaction.pushGone.takeBack(
            messagesOf: chat.id, readAfter: newlyRead.lowerBound - 1, upTo: newlyRead.upperBound, from: user,
            at: context.now)
    }

    // MARK: Messages

    /// Queues the push of a message, after the triggers have run on it. While a job of the chat waits, it is about this
    /// message as well.
    ///
    /// A member to whom this write has sent a notification about the chat that rings gets no push of the message: a
    /// recommendation rings once.
    package func add(
        message n: MessageNumber, at position: Position, in chat: ChatEntry, members: [MemberEntry], by author: StreamID
    ) throws {
        guard context.pushesMessages, try transaction.pushDevices.hasAny() else { return }
        // The members of a room are looked at when the push is sent.
        let isWanted =
            try chat.isRoom
            || members.contains { member in
                guard member.user != author, try transaction.pushDevices.exists(of: member.user) else { return false }
                return try !hasRung(member.user, about: chat.name, after: position)
            }
        guard isWanted else { return }
        try add(message: n, at: position, in: chat.id, sent: context.now)
    }

    /// Queues the push of the messages of a chat that a job has not decided about; nothing when they are for nobody who has
    /// a device.
    package func add(messagesAfter n: MessageNumber, in chat: Int64) throws {
        guard context.pushesMessages, let next = try jobs.firstMessage(after: n, in: chat) else { return }
        try add(message: next.n, at: next.position, in: chat, sent: next.at)
    }

    private func add(message n: MessageNumber, at position: Position, in chat: Int64, sent: Timestamp) throws {
        var draft = PushJobDraft(.message, at: position, in: StreamID(chat: chat), .active, committed: sent)
        draft.chatFrom = n
        try jobs.insert(draft)
    }

    /// Whether a notification about a chat that was written to a user after a position rings.
    private func hasRung(_ user: StreamID, about chat: ChatID, after position: Position) throws -> Bool {
        try jobs.jobs(in: user, after: position).contains { job in
            guard let entry = try transaction.notifications.find(job.position) else { return false }
            return try NotificationFacts(entry, isPersonal: true, in: transaction.reading).chat == chat
        }
    }
}

@available(*, unavailable)
extension PushQueue: Sendable {}
