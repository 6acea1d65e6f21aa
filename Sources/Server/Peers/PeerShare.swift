import Synchronization

/// The part of what is held for peers that one user holds over all connections and loops, or one network with those
/// connections whose user is not known. So nobody gets more by opening more connections.
///
/// - Confinement: any
final class PeerShare: Sendable {
    private let held = Atomic<Int>(0)

    /// What is held.
    var bytes: Int { held.load(ordering: .relaxed) }

    /// So much more is held, or less.
    func add(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
}
