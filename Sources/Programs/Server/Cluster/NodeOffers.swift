import Cluster
import Journal

/// A node from which the cluster's database may be fetched.
///
/// - Confinement: any
struct NodeOffer: Sendable, Hashable, CustomStringConvertible {
    /// Nil for one that was only configured.
    let node: String?
    let address: String
    var leads = false
    /// The newest entry that its database has.
    var applied: UInt64 = 0

    var description: String { node.map { "\($0) at \(address)" } ?? address }
}

/// The nodes that are heard on the subject of heartbeats, with those of the settings.
///
/// - Confinement: the thread of its ``JournalTalk``
final class NodeOffers {
    private let talk: JournalTalk
    private let configured: [NodeOffer]
    private var heard: [String: NodeOffer] = [:]
    /// Asked at least once, so that the first wait is for all nodes.
    private var isFirst = true

    /// - Parameter name: The node's own name: it does not ask itself.
    init(to name: String, _ addresses: [String], on talk: JournalTalk, _ seal: JournalSeal) {
        self.talk = talk
        configured = addresses.map { NodeOffer(node: nil, address: $0) }
        // A stranger's address would get a token that opens a copy of a database.
        talk.listen(to: "heartbeat", seal) { [weak self] bytes in
            guard let self, let beat = try? HeartbeatMessage(bytes).heartbeat, beat.node != name, !beat.address.isEmpty
            else { return }
            heard[beat.node] = NodeOffer(
                node: beat.node, address: beat.address, leads: beat.leads, applied: beat.applied)
        }
    }

    /// Waits for a while, then says whom to ask, the best first: a node that does not lead has more time for it, and one
    /// that has come further spares entries.
    func wait(milliseconds: Int64) -> [NodeOffer] {
        talk.wait(milliseconds: milliseconds) { isFirst && !configured.isEmpty }
        isFirst = false
        return configured
            + heard.values.sorted { one, other in
                if one.leads != other.leads { return other.leads }
                return (one.applied, other.address) > (other.applied, one.address)
            }
    }
}

@available(*, unavailable)
extension NodeOffers: Sendable {}
