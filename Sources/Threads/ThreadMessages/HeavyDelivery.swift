import Synchronization

/// A commit with a long delivery; it is over when every loop has written it to its sockets.
///
/// - Confinement: any
package final class HeavyDelivery: Sendable {
    private let left: Atomic<Int>

    package init(loops: Int) { left = Atomic(loops) }

    /// Counts one more loop that has delivered it.
    package func deliveredByOne() { left.subtract(1, ordering: .relaxed) }

    /// Whether all loops have delivered it.
    package var isDelivered: Bool { left.load(ordering: .relaxed) <= 0 }
}
