import Model

/// The facts and settings that the writer of a node among others needs besides.
///
/// - Confinement: any
package struct WriterMember: Sendable {
    /// The node's name.
    package let node: String
    /// The writes with which a first leader begins.
    package let first: FirstWrites
    /// For how long a write waits for the node that leads.
    package var waitMilliseconds: Int64 = MemberLimits.handedMilliseconds
    /// How long after an entry of its own the node, if it leads, gives answers that no entry carries.
    package var ledMilliseconds: Int64 = MemberLimits.ledMilliseconds
    /// How often waiting writes are looked through.
    package var lookMilliseconds: Int64 = 1000
    /// Lets the other loops of a simulation work while the writer waits for the journal; nil with threads.
    package var turn: (@Sendable () -> Void)?

    package init(node: String, first: FirstWrites) {
        self.node = node
        self.first = first
    }
}
