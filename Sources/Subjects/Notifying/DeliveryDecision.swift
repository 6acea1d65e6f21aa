package import Model
package import Store

/// Why notifications did not interrupt a user, for later readers: the same answer that the connected devices of the
/// user got.
///
/// The row of a notification in an inbox has the decision. For a notification that many read, the preferences decide
/// that the reader had when it was written, at the time when it was written. So each later reading gets the same
/// answer.
///
/// - Confinement: store (a reader's thread, or the writer's)
package struct DeliveryDecision {
    private let user: UserEntry
    private let transaction: Transaction
    private let current: StoredPreferences?
    /// Earlier preferences, as they were last needed: in force up to `until`, and not before `from`.
    private var past: (from: Position, until: Position, preferences: DeliveryPreferences?)?

    package init(of user: UserEntry, in transaction: Transaction) {
        self.user = user
        self.transaction = transaction
        current = user.preferences.map { StoredPreferences($0) }
    }

    /// Why a notification did not interrupt the user; nil when it did, or never does (passive).
    package mutating func reason(for entry: NotificationEntry) throws -> Silence? {
        let isPersonal = entry.stream == user.id
        guard !isPersonal, entry.silence == nil || entry.silence == .updated,
            let preferences = try preferences(at: entry.position)
        else { return entry.silence }
        let facts = try NotificationFacts(entry, isPersonal: isPersonal, in: transaction)
        func follows(_ stream: StreamID) throws -> Bool { try isFollowed(stream, at: entry.position) }
        let reason = try preferences.readerReason(against: facts, beginsDigest: false, follows: follows)
        guard reason == .digest, try transaction.digests.isFirst(entry.position, of: user.id) else { return reason }
        return try preferences.readerReason(against: facts, beginsDigest: true, follows: follows)
    }

    /// Whether the user followed a stream when a position of the log was written.
    private func isFollowed(_ stream: StreamID, at position: Position) throws -> Bool {
        if stream == .everyone { return true }
        let follows = transaction.follows
        if let since = try follows.since(follower: user.id, stream: stream), since < position { return true }
        return try follows.past(follower: user.id, stream: stream).contains {
            $0.since < position && position <= $0.until
        }
    }

    /// Whether a notification in a stream that the user reads is for this user. The user may have a row of their own,
    /// and a notification by the recipients' clocks is for users who were in some zones when it was written.
    package func isFor(_ entry: NotificationEntry) throws -> Bool {
        guard try !transaction.notifications.isApart(entry, for: user.id) else { return false }
        guard !entry.zones.isEmpty else { return true }
        let past = try transaction.preferences.past(of: user.id, at: entry.position)
        return entry.zones.contains(
            past.map { DeliveryPreferences.zone(ofStored: $0.preferences) } ?? current?.zone ?? ZoneClock.utc.name)
    }

    private mutating func preferences(at position: Position) throws -> DeliveryPreferences? {
        if let past, past.from <= position, position < past.until { return past.preferences }
        guard let found = try transaction.preferences.past(of: user.id, at: position) else { return current?.deciding }
        if let past, past.until == found.until {
            // Lists go from the newest to the oldest.
            self.past?.from = min(past.from, position)
            return past.preferences
        }
        let preferences = DeliveryPreferences.stored(found.preferences)
        past = (position, found.until, preferences)
        return preferences
    }
}
