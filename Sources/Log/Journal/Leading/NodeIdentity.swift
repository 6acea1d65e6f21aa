/// The facts of a node that never change while it runs.
///
/// - Confinement: any
package struct NodeIdentity: Sendable, Hashable {
    package let name: String
    /// For snapshots; tells two nodes of one name apart.
    package let address: String
    /// Of its secret.
    package let fingerprint: String

    package init(name: String, address: String, fingerprint: String) {
        self.name = name
        self.address = address
        self.fingerprint = fingerprint
    }
}
