import Model
import ThreadMessages

/// The users of the other nodes, as they have said. A value: times are parameters.
///
/// - Confinement: any
struct OtherNodes: Sendable {
    /// A user whose sessions on the other nodes, taken together, have become more or fewer.
    ///
    /// - Confinement: any
    struct Change: Sendable, Hashable {
        let person: Person
        let before: Int
        let after: Int
        let at: Timestamp

        /// Whether the user came online there, or went offline.
        var isTurn: Bool { (before > 0) != (after > 0) }
    }

    private struct Node {
        var boot: Int64
        var number: Int64
        var heardAt: Int64
        /// The same by the clock of this node.
        var heard: Timestamp
        var table = PresenceTable()
    }

    private var nodes: [String: Node] = [:]

    /// The names of the nodes that have been heard of lately.
    var names: [String] { nodes.keys.sorted() }

    /// The sessions that a user has on the other nodes.
    func sessions(of user: StreamID) -> Int { nodes.values.reduce(0) { $0 + $1.table.sessions(of: user) } }

    /// The nodes on which some of the users have sessions.
    func names(havingAnyOf users: [StreamID]) -> [String] {
        nodes.filter { node in users.contains { node.value.table.sessions(of: $0) > 0 } }.keys.sorted()
    }

    /// Takes what a node says of its users.
    ///
    /// - Returns: whether nothing of this run of the node was heard before, and the changes.
    mutating func take(
        _ presence: NodePresence, of name: String, at now: Int64, _ time: Timestamp
    ) -> (isNew: Bool, [Change]) {
        var changes: [Change] = []
        var isNew = false
        if let node = nodes[name] {
            // It was sent before another that came earlier, perhaps on another connection.
            guard (presence.boot, presence.number) > (node.boot, node.number) else { return (false, []) }
            if presence.boot != node.boot {
                changes += remove(name, at: node.heard)
                isNew = true
            }
        } else {
            isNew = true
        }
        if nodes[name] == nil { nodes[name] = Node(boot: presence.boot, number: 0, heardAt: now, heard: time) }
        nodes[name]?.number = presence.number
        nodes[name]?.heardAt = now
        nodes[name]?.heard = time
        switch presence.content {
        case .changes(let users):
            changes += users.compactMap { set($0, of: name, at: presence.at) }
        case .list(let buckets, let users):
            let listed = Set(users.map(\.person.id))
            let gone = nodes[name]?.table.users(in: buckets).filter { !listed.contains($0.person.id) } ?? []
            changes += (users + gone.map { UserSessions($0.person, 0) })
                .compactMap { set($0, of: name, at: presence.at) }
        case .goodbye:
            // The node itself stays known for a while, so that an earlier message of it is recognized.
            changes += clear(name, at: presence.at)
            isNew = false
        }
        return (isNew, changes)
    }

    /// Removes the nodes that have said nothing for too long.
    mutating func endSilent(at now: Int64) -> [Change] {
        let silent = nodes.filter { now - $0.value.heardAt >= SignalLimits.silentMilliseconds }
        return silent.flatMap { remove($0.key, at: $0.value.heard) }
    }

    private mutating func remove(_ name: String, at time: Timestamp) -> [Change] {
        let changes = clear(name, at: time)
        nodes[name] = nil
        return changes
    }

    private mutating func clear(_ name: String, at time: Timestamp) -> [Change] {
        let users = nodes[name]?.table.all ?? []
        return users.compactMap { set(UserSessions($0.person, 0), of: name, at: time) }
    }

    private mutating func set(_ user: UserSessions, of name: String, at time: Timestamp) -> Change? {
        let id = user.person.id
        guard let known = nodes[name]?.table.sessions(of: id), known != user.count else { return nil }
        let before = sessions(of: id)
        nodes[name]?.table.set(user)
        return Change(person: user.person, before: before, after: before - known + user.count, at: time)
    }
}
