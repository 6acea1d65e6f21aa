package import Model

/// A write with a key that the node that leads has refused for good: nothing keeps its key, so a copy that came to any node
/// before must not be done after it.
///
/// - Confinement: any
package struct RefusedWrite: Sendable, Hashable {
    /// - Confinement: any
    package struct Name: Sendable, Hashable {
        /// The user, or the administrator after a space.
        package let owner: String
        package let key: String

        package init(owner: String, key: String) {
            self.owner = owner
            self.key = key
        }
    }

    /// A write that another node had handed to the one that leads.
    ///
    /// - Confinement: any
    package struct Handed: Sendable, Hashable {
        /// The node of its client.
        package let node: String
        package let ticket: UInt64

        package init(node: String, ticket: UInt64) {
            self.node = node
            self.ticket = ticket
        }
    }

    package let name: Name
    /// The time of the refusal by this node's clock. For a node that follows it is the time when the signal came: the clocks of
    /// two nodes are never compared.
    package let at: Timestamp
    /// The write itself, which is no copy, and which gets the refusal; nil for a write of a client of the node that leads.
    package let handed: Handed?

    package init(_ name: Name, at: Timestamp, handed: Handed? = nil) {
        self.name = name
        self.at = at
        self.handed = handed
    }

    /// The refusal as a node has it that heard of it at this time.
    package func heard(at time: Timestamp) -> RefusedWrite { RefusedWrite(name, at: time, handed: handed) }
}
