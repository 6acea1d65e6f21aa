/// The facts of a node that never change while it runs.
///
/// - Confinement: any
package struct NodeIdentity: Sendable, Hashable {
    package let name: String
    /// For snapshots; tells two nodes of one name apart.
    package let address: String

    package init(name: String, address: String) {
        self.name = name
        self.address = address
    }

    /// Whether a heartbeat of this name is that of a node that must not exist, and that goes on. One of the two does.
    func isTaken(by heartbeat: NodeHeartbeat) -> Bool {
        heartbeat.address != address && (heartbeat.leads || heartbeat.address < address)
    }
}
