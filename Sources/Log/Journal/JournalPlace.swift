/// A place in the journal, up to which a node has applied everything.
///
/// - Confinement: any
package struct JournalPlace: Sendable, Hashable {
    /// The number of the entry in the stream, from 1; of an entry in parts, that of its last part.
    package let sequence: UInt64
    /// The leadership in which it was written.
    package let term: UInt64

    package init(sequence: UInt64, term: UInt64) {
        self.sequence = sequence
        self.term = term
    }

    /// Whether an entry may stand here when another was the last one: later in the stream, and in no earlier leadership.
    package func follows(_ other: JournalPlace?) -> Bool {
        guard let other else { return true }
        return sequence > other.sequence && term >= other.term
    }
}
