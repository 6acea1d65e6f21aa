/// One entry of the journal as it was appended: bytes, and the place that the journal gave them.
/// - Confinement: any
package struct JournalMessage: Sendable, Hashable {
    /// The place in the journal: 1 for the first entry, and each next one is larger by one.
    package let sequence: UInt64
    /// The bytes.
    package let bytes: [UInt8]

    /// Makes an entry.
    package init(sequence: UInt64, bytes: [UInt8]) {
        self.sequence = sequence
        self.bytes = bytes
    }
}

/// Why a read of the journal has ended for good. It does not begin again by itself.
/// - Confinement: any
package enum JournalReadEnd: Error, Sendable, Hashable, CustomStringConvertible {
    /// The wanted entry is no longer in the journal; the oldest that is there has this sequence.
    case gone(first: UInt64)
    /// The journal ended before the entry that precedes the wanted one, for five seconds: it has lost entries.
    case ahead(last: UInt64)
    /// An entry is missing in the middle: the next one that is there has this sequence. It was read several times.
    case hole(next: UInt64)

    /// A phrase for logs.
    package var description: String {
        switch self {
        case .gone(let first): "the entry is no longer in the journal, whose oldest one is \(first)"
        case .ahead(let last): "the journal ends with \(last), before an entry that this node already has"
        case .hole(let next): "an entry is missing in the journal, and the next one is \(next)"
        }
    }
}
