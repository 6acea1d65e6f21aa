import Synchronization

/// The part of what is held for peers that one user holds over all connections and loops, or one network with those
/// connections whose user is not known. So nobody gets more by opening more connections.
///
/// - Confinement: any
package final class PeerShare: Sendable {
    private let held = Atomic<Int>(0)

    /// What is held.
    package var bytes: Int { held.load(ordering: .relaxed) }

    /// So much more is held, or less.
    package func add(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
}
