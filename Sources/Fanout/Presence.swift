package import Model

/// Who is online, on any loop, and which sessions of this loop want to know.
///
/// Every loop keeps this for itself and tells the others when the first session of a user comes or the last one goes;
/// a user is online while any loop says so.
///
/// - Confinement: loop
package final class Presence {
    private let loop: Int
    private var localCounts: [StreamID: Int] = [:]
    /// Bit `i` is set while loop `i` has a session of the user.
    private var loops: [StreamID: UInt64] = [:]
    private var watchers: [StreamID: [Slot]] = [:]
    private var watched: [Slot: [StreamID]] = [:]

    /// - Parameter loop: number of this loop, below 64.
    package init(loop: Int) {
        precondition((0..<64).contains(loop), "presence holds a bit for each of at most 64 loops")
        self.loop = loop
    }

    /// A session came.
    ///
    /// - Returns: true when it is the user's first on this loop, so the other loops must be told.
    package func arrived(_ user: StreamID) -> Bool {
        localCounts[user, default: 0] += 1
        return localCounts[user] == 1
    }

    /// A session went.
    ///
    /// - Returns: true when it was the user's last on this loop, so the other loops must be told.
    package func left(_ user: StreamID) -> Bool {
        guard let count = localCounts[user] else { return false }
        localCounts[user] = count > 1 ? count - 1 : nil
        return count == 1
    }

    /// What a loop, this one or another, says of a user.
    ///
    /// - Returns: the sessions to be told, when it changed whether the user is online at all.
    package func apply(_ user: StreamID, isOnline: Bool, onLoop loop: Int) -> [Slot] {
        let before = loops[user] ?? 0
        let bit: UInt64 = 1 << UInt64(loop)
        let after = isOnline ? before | bit : before & ~bit
        loops[user] = after == 0 ? nil : after
        return (before == 0) == (after == 0) ? [] : watchers[user] ?? []
    }

    /// Whether the user has a session anywhere.
    package func isOnline(_ user: StreamID) -> Bool { loops[user] != nil }

    /// Users with a session anywhere.
    package var onlineCount: Int { loops.count }

    /// Sets whom a session watches, each once; the earlier list is forgotten.
    package func watch(_ users: [StreamID], by slot: Slot) {
        unwatch(slot)
        let users = Set(users)
        guard !users.isEmpty else { return }
        watched[slot] = Array(users)
        for user in users { watchers[user, default: []].append(slot) }
    }

    /// The session is gone.
    package func unwatch(_ slot: Slot) {
        for user in watched.removeValue(forKey: slot) ?? [] {
            watchers[user]?.removeAll { $0 == slot }
            if watchers[user]?.isEmpty == true { watchers[user] = nil }
        }
    }
}

@available(*, unavailable)
extension Presence: Sendable {}
