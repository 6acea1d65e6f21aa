/// Why a node does not stand for election although it hears no leader.
///
/// - Confinement: any
package enum LeadershipWait: Sendable, Hashable {
    /// It has not read, or not applied, all that the journal has.
    case reading(applied: UInt64, last: UInt64)
    /// A node could not apply what this one would write.
    case olderSchema(node: String, schema: Int)
    /// The journal lacks an entry that a node has.
    case journalLacks(applied: UInt64, node: String, last: UInt64)
    /// As many nodes have another secret as have this one's, or one that leads has.
    case otherSecret(node: String)

    /// For the log and the status, when nobody leads.
    package var sentence: String {
        switch self {
        case .reading(let applied, let last):
            "this node does not stand for election: it has applied entry \(applied), and the journal has entry \(last)"
        case .olderSchema(let node, let schema):
            "this node does not stand for election: node '\(node)' has schema \(schema), which is older: "
                + "start the newer program there, or stop it"
        case .journalLacks(let applied, let node, let last):
            "this node does not stand for election: node '\(node)' has applied entry \(applied), and the journal ends "
                + "with entry \(last): the journal's server is late, or acknowledged entries are gone. If this stays, run "
                + "'watchwise cluster reseed' with the node that is furthest"
        case .otherSecret(let node):
            "this node does not stand for election: the messages of node '\(node)' are not signed with this node's secret: "
                + "all nodes must have the same secret files"
        }
    }
}
