import Synchronization

/// What one piece of work takes, as a mean of the last ones, in microseconds.
///
/// - Confinement: any; ``note(_:)`` on any of the threads that do the work, of which one may get lost
package struct WorkMean: ~Copyable, Sendable {
    /// Of whom nothing is known: more than of those who are known to want little, so that many who come for the first time
    /// do not come before those.
    package static let ofUnknown = 5000
    /// What is small.
    private static let small = 100

    /// 0: nothing is known.
    private let value = Atomic<Int>(0)

    /// The mean; of whom nothing is known nothing bad.
    package var mean: Int {
        let known = value.load(ordering: .relaxed)
        return known > 0 ? known : Self.small
    }

    /// What the next piece is expected to take where others wait.
    package var expected: Int {
        let known = value.load(ordering: .relaxed)
        return known > 0 ? known : Self.ofUnknown
    }

    /// A piece took so long.
    package func note(_ microseconds: Int64) {
        let known = value.load(ordering: .relaxed)
        let took = max(1, Int(microseconds))
        value.store(known > 0 ? max(1, known + (took - known) / 8) : took, ordering: .relaxed)
    }
}
