/// The facts that a node sends of itself every 250 ms, on the subject `ww.APP.heartbeat`.
///
/// - Confinement: any
package struct NodeHeartbeat: Sendable, Hashable {
    /// Its name.
    package let node: String
    /// The term of the newest entry that it has read.
    package let term: UInt64
    package let leads: Bool
    /// The sequence of the newest entry that its database has.
    package let applied: UInt64
    /// The newest position of its database.
    package let head: Int64
    /// The number of its newest migration.
    package let schema: Int
    /// The version of its program.
    package let program: String
    /// Of the secret, which must be the same on all nodes; for operators.
    package let fingerprint: String
    /// How many sessions it has.
    package let sessions: Int
    /// Its own address, for snapshots.
    package let address: String
    /// Whether it is signed with this node's secret. Others count only as a sign that somebody's secret is wrong.
    package let isOurs: Bool

    package init(
        node: String, term: UInt64, leads: Bool, applied: UInt64, head: Int64, schema: Int, program: String,
        fingerprint: String, sessions: Int, address: String, isOurs: Bool = true
    ) {
        self.node = node
        self.term = term
        self.leads = leads
        self.applied = applied
        self.head = head
        self.schema = schema
        self.program = program
        self.fingerprint = fingerprint
        self.sessions = sessions
        self.address = address
        self.isOurs = isOurs
    }
}
