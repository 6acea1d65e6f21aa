import Synchronization

/// A commit that takes the loops long to deliver, until each of them has written it to its sockets.
///
/// - Confinement: any
package final class HeavyDelivery: Sendable {
    private let left: Atomic<Int>

    package init(loops: Int) { left = Atomic(loops) }

    /// One more loop has delivered it.
    package func deliveredByOne() { left.subtract(1, ordering: .relaxed) }

    /// Whether all have.
    package var isDelivered: Bool { left.load(ordering: .relaxed) <= 0 }
}
