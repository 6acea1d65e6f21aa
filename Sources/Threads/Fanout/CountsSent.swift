package import Model

/// A user's counts as one session knows them, and the counts that its client was last sent.
///
/// Counts come from the writer, from a reader, and from publications in streams that many follow. Each is true as of a
/// position; counts of an older position than the known one change nothing.
///
/// When something is removed from a stream that many read, only a reader can count again: a recount is *owed* then.
/// Until it comes, the known counts stay as they were, and nothing is added to them; see ``Recounts``.
///
/// - Confinement: any
package struct CountsSent: Sendable {
    /// The position that ``known`` is of; its complement, which is negative, while a recount is owed. A flag of its own
    /// would cost eight bytes in each session.
    private var place: Int64
    private var known: Counts
    private var sent: Counts

    /// Half of the size of ``UnreadCounts``; numbers above two billion all count as two billion.
    private struct Counts: Hashable {
        var chats: Int32
        var notifications: Int32

        init(_ counts: UnreadCounts) {
            chats = Int32(clamping: counts.chats)
            notifications = Int32(clamping: counts.notifications)
        }

        var whole: UnreadCounts { UnreadCounts(chats: Int64(chats), notifications: Int64(notifications)) }
    }

    /// The counts as they are known.
    package var current: UnreadCounts { known.whole }

    /// The counts that `hello` was answered with.
    package init(_ counts: UnreadCounts, asOf position: Position) {
        known = Counts(counts)
        sent = known
        place = position.value
    }

    /// Whether something was removed since, so that the counts are to be computed again.
    package var isRecountOwed: Bool { place < 0 }

    private var position: Int64 { isRecountOwed ? ~place : place }

    /// The counts were these at a position; where a recount is owed, it must be at or after the removal.
    package mutating func set(_ counts: UnreadCounts, asOf position: Position) {
        guard position.value >= self.position else { return }
        known = Counts(counts)
        place = position.value
    }

    /// Something was removed at a position.
    ///
    /// - Returns: whether a recount is owed for it.
    package mutating func oweRecount(at position: Position) -> Bool {
        guard position.value > self.position else { return false }
        place = ~self.position
        return true
    }

    /// A followed topic has one more notification.
    package mutating func addNotification(at position: Position) {
        guard place >= 0, position.value > place else { return }
        known.notifications += known.notifications < .max ? 1 : 0
        place = position.value
    }

    /// A followed topic has more notifications, at these positions in their order.
    package mutating func addNotifications(at positions: [Position]) {
        guard place >= 0, let first = positions.first, let last = positions.last, last.value > place else { return }
        // Counts that were read may stand in the middle of what one commit brought.
        let isAllNew = first.value > place
        let count = isAllNew ? positions.count : positions.count { $0.value > place }
        known.notifications = Int32(clamping: Int(known.notifications) + count)
        place = last.value
    }

    /// A room has become unread, or read.
    package mutating func addChats(_ difference: Int32, at position: Position) {
        guard place >= 0, position.value > place else { return }
        known.chats = max(0, known.chats == .max ? .max : known.chats + difference)
        place = position.value
    }

    /// The counts that the client is to be sent now; nil when it has them.
    package mutating func takeNews() -> UnreadCounts? {
        guard sent != known else { return nil }
        sent = known
        return current
    }
}
