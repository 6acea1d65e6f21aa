/// The times of leading, in milliseconds of a monotonic clock.
///
/// - Confinement: any
package enum LeadingLimits {
    /// Between two heartbeats of a node.
    package static let heartbeat: Int64 = 250
    /// A node that has heard no leader for this long, and its chance, stands for election: six heartbeats.
    package static let silence: Int64 = 1500
    /// The most that chance adds to ``silence``, so that the nodes do not all stand at once.
    package static let chanceMax: Int64 = 500
    /// Until the same bytes are published again when no answer came, and between two questions for the last sequence.
    package static let again: Int64 = 250
    /// The longest time for which an entry is published again. Then the transaction is rolled back.
    package static let unanswered: Int64 = 5000
    /// Between two requests to read on, while no entry comes.
    package static let reading: Int64 = 1000
    /// A longer pause between two inputs means that this process stood still, and not that the others are silent.
    package static let pause: Int64 = 1000
    /// A heartbeat counts for this long.
    package static let heard: Int64 = 5000
    /// The time for which each answer must have less than this node, before it believes that the journal lost entries. A
    /// server of the journal that lost its majority may give old answers for 10 s.
    package static let doubt: Int64 = 15_000
    /// A node that stepped down by order leaves the lead to others for this long.
    package static let refrain: Int64 = 5000
}
