import Model

/// A user's counts as one session knows them, and what its client was last told.
///
/// Counts come from the writer, from a reader, and from publications in streams that many follow; each is true as of a
/// position, and one that is older than what is known changes nothing.
///
/// When something is taken away from what many read, only a reader can tell the count: a recount is *owed* then. Until
/// it comes, what is known stays what was true before, and nothing is added to it; see ``Recounts``.
///
/// - Confinement: any
struct CountsTold: Sendable {
    /// The position that ``known`` is of; its complement, which is negative, while a recount is owed. A flag of its own
    /// would cost eight bytes in each session.
    private var place: Int64
    private var known: Counts
    private var told: Counts

    /// Half of the size of ``UnreadCounts``; more than two milliards of anything are not told apart.
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
    var current: UnreadCounts { known.whole }

    /// The counts that `hello` was answered with.
    init(_ counts: UnreadCounts, asOf position: Position) {
        known = Counts(counts)
        told = known
        place = position.value
    }

    /// Whether something was taken away since, so that the counts are to be computed anew.
    var isRecountOwed: Bool { place < 0 }

    private var position: Int64 { isRecountOwed ? ~place : place }

    /// The counts were these at a position; where a recount is owed, it must be one at or after what was taken away.
    mutating func set(_ counts: UnreadCounts, asOf position: Position) {
        guard position.value >= self.position else { return }
        known = Counts(counts)
        place = position.value
    }

    /// Something was taken away at a position.
    ///
    /// - Returns: whether a recount is owed for it.
    mutating func oweRecount(at position: Position) -> Bool {
        guard position.value > self.position else { return false }
        place = ~self.position
        return true
    }

    /// A followed topic has one more notification.
    mutating func addNotification(at position: Position) {
        guard place >= 0, position.value > place else { return }
        known.notifications += known.notifications < .max ? 1 : 0
        place = position.value
    }

    /// A followed topic has more notifications, at these positions in their order.
    mutating func addNotifications(at positions: [Position]) {
        guard place >= 0, let first = positions.first, let last = positions.last, last.value > place else { return }
        // Counts that were read may stand in the middle of what one commit brought.
        let isAllNew = first.value > place
        let count = isAllNew ? positions.count : positions.count { $0.value > place }
        known.notifications = Int32(clamping: Int(known.notifications) + count)
        place = last.value
    }

    /// What the client is to be told now; nil when it knows.
    mutating func tell() -> UnreadCounts? {
        guard told != known else { return nil }
        told = known
        return current
    }
}
