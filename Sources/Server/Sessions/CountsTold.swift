import Model

/// A user's counts as one session knows them, and what its client was last told.
///
/// Counts come from the writer, from a reader, and from publications in streams that many follow; each is true as of a
/// position, and one that is older than what is known changes nothing.
///
/// - Confinement: any
struct CountsTold: Sendable {
    private var position: Position
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
        self.position = position
    }

    /// The counts were these at a position.
    mutating func set(_ counts: UnreadCounts, asOf position: Position) {
        guard position >= self.position else { return }
        known = Counts(counts)
        self.position = position
    }

    /// A followed topic has one more notification.
    mutating func addNotification(at position: Position) {
        guard position > self.position else { return }
        known.notifications += known.notifications < .max ? 1 : 0
        self.position = position
    }

    /// A followed topic has more notifications, at these positions in their order.
    mutating func addNotifications(at positions: [Position]) {
        guard let first = positions.first, let last = positions.last, last > position else { return }
        // Counts that were read may stand in the middle of what one commit brought.
        let isAllNew = first > position
        let count = isAllNew ? positions.count : positions.count { $0 > position }
        known.notifications = Int32(clamping: Int(known.notifications) + count)
        position = last
    }

    /// What the client is to be told now; nil when it knows.
    mutating func tell() -> UnreadCounts? {
        guard told != known else { return nil }
        told = known
        return current
    }
}
