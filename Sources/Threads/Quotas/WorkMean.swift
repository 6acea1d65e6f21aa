import Model
import Synchronization

/// The mean time of the last pieces of work, in microseconds.
///
/// - Confinement: any; the threads that do the work may call ``note(_:)`` at the same time, and then one note may be
///   lost
package struct WorkMean: ~Copyable, Sendable {
    /// The expected time for a user without a history. It is more than that of users who are known to need little, so
    /// that many new users do not go before these.
    package static let ofUnknown = 5000
    /// A small time.
    private static let small = 100

    /// 0 when nothing is known.
    private let value = Atomic<Int>(0)

    /// The mean; small when nothing is known.
    package var mean: Int {
        let known = value.load(ordering: .relaxed)
        return known > 0 ? known : Self.small
    }

    /// The expected time of the next piece, when others wait.
    package var expected: Int {
        let known = value.load(ordering: .relaxed)
        return known > 0 ? known : Self.ofUnknown
    }

    /// The time that a command's weight tells of: 0 for the lightest. The first heavy command of somebody whose others were
    /// light would otherwise pass for one of those.
    package static func ofWeight(_ weight: Int) -> Int { (weight - 1) * 1000 / Limits.weightPerMillisecond }

    /// The mean, and at least the time of a command's weight.
    package func mean(ofWeight weight: Int) -> Int { max(mean, Self.ofWeight(weight)) }

    /// Notes the duration of a piece.
    package func note(_ microseconds: Int64) {
        let known = value.load(ordering: .relaxed)
        let took = max(1, Int(microseconds))
        value.store(known > 0 ? max(1, known + (took - known) / 8) : took, ordering: .relaxed)
    }
}
