import Model

/// A user's counts as one session knows them, and what its client was last told.
///
/// Counts come from the writer, from a reader, and from publications in streams that many follow; each is true as of a
/// position, and one that is older than what is known changes nothing.
///
/// - Confinement: any
struct CountsTold: Sendable {
    private(set) var current: UnreadCounts
    private var position: Position
    private var told: UnreadCounts

    /// The counts that `hello` was answered with.
    init(_ counts: UnreadCounts, asOf position: Position) {
        current = counts
        told = counts
        self.position = position
    }

    /// The counts were these at a position.
    mutating func set(_ counts: UnreadCounts, asOf position: Position) {
        guard position >= self.position else { return }
        current = counts
        self.position = position
    }

    /// A followed topic has one more notification.
    mutating func addNotification(at position: Position) {
        guard position > self.position else { return }
        current.notifications += 1
        self.position = position
    }

    /// A followed topic has more notifications, at these positions in their order.
    mutating func addNotifications(at positions: [Position]) {
        guard let first = positions.first, let last = positions.last, last > position else { return }
        // Counts that were read may stand in the middle of what one commit brought.
        let isAllNew = first > position
        current.notifications += Int64(isAllNew ? positions.count : positions.count { $0 > position })
        position = last
    }

    /// What the client is to be told now; nil when it knows.
    mutating func tell() -> UnreadCounts? {
        guard told != current else { return nil }
        told = current
        return current
    }
}
