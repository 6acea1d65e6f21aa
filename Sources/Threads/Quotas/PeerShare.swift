import Synchronization

/// The bytes held for one user over all connections and loops, or for the connections of one network whose user is not
/// known. So nobody gets more by opening more connections.
///
/// - Confinement: any
package final class PeerShare: Sendable {
    private let held = Atomic<Int>(0)

    /// The bytes held.
    package var bytes: Int { held.load(ordering: .relaxed) }

    /// Adds to the bytes held; negative when they are released.
    package func add(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
}
