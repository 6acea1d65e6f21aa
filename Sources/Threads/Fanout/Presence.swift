package import Model

/// The users who are online on any loop or on another node, and the sessions of this loop that observe them.
///
/// Every loop has its own copy. It tells the other loops when a user's first session begins or the last one ends, which
/// its ``Hub`` knows. A user is online while at least one loop says so, or another node does; the other nodes count as one
/// further place.
///
/// - Confinement: loop
package final class Presence {
    /// A bit for each of 64 users with consecutive numbers, by loop: set while that loop has a session of the user.
    /// When most users are online, their numbers lie close together; when few are, the table is small.
    private var blocks: [Block: UInt64] = [:]
    /// The loops that have reported anything.
    private var loops: UInt64 = 0
    /// The same bits for the other nodes together, by block; empty on a node that is alone.
    private var elsewhere: [Int64: UInt64] = [:]
    /// Users with a session on a loop of this node.
    package private(set) var onlineCount = 0

    /// The users who are online now, for other threads. The tables are copied only when they change while somebody holds this.
    package var online: OnlineUsers {
        OnlineUsers(count: onlineCount) { [blocks, loops, elsewhere] user in
            Self.holds(blocks, of: loops, user) || (elsewhere[user.value >> 6] ?? 0) & Self.bit(of: user) != 0
        }
    }

    private var watchers: [StreamID: Watchers] = [:]
    private var watched: [Slot: [StreamID]] = [:]
    /// Users who have hidden their presence since the start. An observation that was requested before must not begin
    /// then.
    private var hidden: Set<StreamID> = []
    /// The pairs of users of which one has blocked the other since the start; for the same reason.
    private var apart: Set<Pair> = []

    private struct Pair: Hashable {
        let lower: StreamID
        let higher: StreamID

        init(_ one: StreamID, _ other: StreamID) {
            (lower, higher) = one.value < other.value ? (one, other) : (other, one)
        }
    }

    private struct Watchers {
        let name: UserID
        var slots: [Slot] = []
    }

    private struct Block: Hashable {
        /// The number of the block of 64 users; its last six bits are the loop.
        let key: Int64

        init(of user: StreamID, onLoop loop: Int) { key = user.value & ~63 | Int64(loop) }
    }

    package init() {}

    /// Records the report of a loop, this one or another, about a user.
    ///
    /// - Returns: The sessions to notify, if the user came online or went offline by this.
    package func apply(_ user: StreamID, isOnline: Bool, onLoop loop: Int) -> [Slot] {
        let wasOnline = isOnlineHere(user)
        set(user, isOnline, onLoop: loop)
        let isStillOnline = isOnlineHere(user)
        guard wasOnline != isStillOnline else { return [] }
        onlineCount += isStillOnline ? 1 : -1
        return isElsewhere(user) ? [] : watchers[user]?.slots ?? []
    }

    /// Records that a user came online on the other nodes, taken together, or went offline there.
    ///
    /// - Returns: The sessions to notify, if the user came online or went offline by this.
    package func apply(_ user: StreamID, isOnlineElsewhere: Bool) -> [Slot] {
        guard isElsewhere(user) != isOnlineElsewhere else { return [] }
        let block = user.value >> 6
        let bits = (elsewhere[block] ?? 0) ^ Self.bit(of: user)
        elsewhere[block] = bits == 0 ? nil : bits
        return isOnlineHere(user) ? [] : watchers[user]?.slots ?? []
    }

    private func isElsewhere(_ user: StreamID) -> Bool {
        !elsewhere.isEmpty && (elsewhere[user.value >> 6] ?? 0) & Self.bit(of: user) != 0
    }

    private func set(_ user: StreamID, _ isOnline: Bool, onLoop loop: Int) {
        precondition((0..<64).contains(loop), "presence holds a bit for each of at most 64 loops")
        loops |= 1 << UInt64(loop)
        let block = Block(of: user, onLoop: loop)
        let before = blocks[block] ?? 0
        let after = isOnline ? before | Self.bit(of: user) : before & ~Self.bit(of: user)
        blocks[block] = after == 0 ? nil : after
    }

    /// Whether the user has a session anywhere.
    package func isOnline(_ user: StreamID) -> Bool { isOnlineHere(user) || isElsewhere(user) }

    private func isOnlineHere(_ user: StreamID) -> Bool { Self.holds(blocks, of: loops, user) }

    /// Whether a loop has a session of the user.
    private static func holds(_ blocks: [Block: UInt64], of loops: UInt64, _ user: StreamID) -> Bool {
        var rest = loops
        while rest != 0 {
            let bits = blocks[Block(of: user, onLoop: rest.trailingZeroBitCount)] ?? 0
            if bits & bit(of: user) != 0 { return true }
            rest &= rest - 1
        }
        return false
    }

    private static func bit(of user: StreamID) -> UInt64 { 1 << UInt64(user.value & 63) }

    /// Sets the users that a session observes, each once, in place of the earlier list.
    ///
    /// - Parameter observer: the user of the session.
    /// - Returns: Those who are online.
    @discardableResult
    package func watch(
        _ users: [(id: StreamID, name: UserID)], by slot: Slot, of observer: StreamID
    ) -> [UserID] {
        unwatch(slot)
        let visible = users.filter { !hidden.contains($0.id) && !apart.contains(Pair(observer, $0.id)) }
        let names = Dictionary(visible.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        if !names.isEmpty { watched[slot] = Array(names.keys) }
        for (user, name) in names { watchers[user, default: Watchers(name: name)].slots.append(slot) }
        return visible.filter { isOnline($0.id) }.map(\.name)
    }

    /// Ends the observations of a session that is gone.
    package func unwatch(_ slot: Slot) {
        for user in watched.removeValue(forKey: slot) ?? [] {
            watchers[user]?.slots.removeAll { $0 == slot }
            if watchers[user]?.slots.isEmpty == true { watchers[user] = nil }
        }
    }

    /// Hides a user: all observations of the user end.
    ///
    /// - Returns: The user's name and the sessions that saw the user online until now; nil if there are none.
    package func hide(_ user: StreamID) -> (name: UserID, slots: [Slot])? {
        hidden.insert(user)
        guard let watchers = watchers.removeValue(forKey: user) else { return nil }
        for slot in watchers.slots { watched[slot]?.removeAll { $0 == user } }
        return isOnline(user) ? (watchers.name, watchers.slots) : nil
    }

    /// One of two users has blocked the other, or does so no longer: then they see each other again when they ask.
    package func setApart(_ one: StreamID, _ other: StreamID, _ isApart: Bool) {
        if isApart { apart.insert(Pair(one, other)) } else { apart.remove(Pair(one, other)) }
    }

    /// Ends the observation of a user by some sessions.
    ///
    /// - Returns: The user's name and those of the sessions that saw the user online until now; nil if there are none.
    package func unwatch(_ user: StreamID, by slots: [Slot]) -> (name: UserID, slots: [Slot])? {
        guard var entry = watchers[user] else { return nil }
        let ended = entry.slots.filter(slots.contains)
        entry.slots.removeAll(where: slots.contains)
        watchers[user] = entry.slots.isEmpty ? nil : entry
        for slot in ended { watched[slot]?.removeAll { $0 == user } }
        return isOnline(user) && !ended.isEmpty ? (entry.name, ended) : nil
    }

    /// Shows a user again, to sessions that ask from now on.
    package func show(_ user: StreamID) { hidden.remove(user) }
}

@available(*, unavailable)
extension Presence: Sendable {}
