import Journal

/// The newest tables that the programs of the nodes make, as the nodes said last.
///
/// - Confinement: any
struct ProgramTable: Sendable {
    /// The nodes that an upgrade waits for.
    struct Count: Sendable, Hashable {
        /// With tables as new as wanted, or a program that makes them.
        var ready: [String] = []
        /// With a program that cannot make them.
        var older: [String] = []
    }

    private var said: [String: ProgramMessage] = [:]

    mutating func note(_ message: ProgramMessage) { said[message.node] = message }

    /// The newest message of a node.
    subscript(_ node: String) -> ProgramMessage? { said[node] }

    /// The number of the newest tables that a node has, or makes when it reads of them in the journal.
    func schema(of message: HeartbeatMessage) -> Int {
        let program = said[message.heartbeat.node].flatMap { $0.run == message.run ? $0.newestSchema : nil }
        return max(message.heartbeat.schema, program ?? 0)
    }

    /// Sorts the nodes that were heard a short time ago. A node whose program says nothing is older.
    ///
    /// - Parameters:
    ///   - schema: the number of the newest migration that is wanted.
    ///   - name: that of this node, which does not count.
    ///   - isFresh: whether a heartbeat counts.
    func count(
        _ schema: Int, in roll: NodeRoll, except name: String, where isFresh: (NodeRoll.Heard) -> Bool
    ) -> Count {
        var count = Count()
        for heard in roll.nodes where heard.message.heartbeat.node != name && isFresh(heard) {
            let node = heard.message.heartbeat.node
            if self.schema(of: heard.message) >= schema { count.ready.append(node) } else { count.older.append(node) }
        }
        return count
    }
}
