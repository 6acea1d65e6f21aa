package import Model

/// The author and the content of an entry, short: by it a node finds out whether an entry of the journal is its own.
///
/// - Confinement: any
package struct EntryStamp: Sendable, Hashable {
    /// The name of the node that wrote it.
    package let node: String
    /// The number of the leadership.
    package let term: UInt64
    /// The checksum of its bytes, CRC-32C.
    package let crc: UInt32

    package init(node: String, term: UInt64, crc: UInt32) {
        self.node = node
        self.term = term
        self.crc = crc
    }
}

/// The facts of an entry in the journal that leading needs.
///
/// - Confinement: any
package struct EntryFacts: Sendable, Hashable {
    /// - Confinement: any
    package enum Kind: Sendable, Hashable {
        /// Its author leads from here on.
        case lead
        /// A commit, or a part of a large one; `hasMoreParts` is flag 2.
        case commit(hasMoreParts: Bool)
        /// Every node runs a migration here.
        case schema
        /// Every node digests its tables here.
        case mark
        /// It is of nobody in this cluster, and takes a number only.
        case foreign
    }

    /// Its number in the stream, from 1 on.
    package let sequence: UInt64
    package let kind: Kind
    package let stamp: EntryStamp
    /// The newest entry that counted for its author, when it was written; nil where authors say nothing of it.
    package let previous: UInt64?

    package init(sequence: UInt64, kind: Kind, stamp: EntryStamp, previous: UInt64? = nil) {
        self.sequence = sequence
        self.kind = kind
        self.stamp = stamp
        self.previous = previous
    }

    /// A message at this place is no entry of this cluster.
    package init(foreignAt sequence: UInt64) {
        self.init(sequence: sequence, kind: .foreign, stamp: EntryStamp(node: "", term: 0, crc: 0))
    }
}

/// The bytes of an entry, or of one part of it, that is to be published.
///
/// - Confinement: any
package struct EncodedEntry: Sendable, Hashable {
    package let bytes: [UInt8]
    /// The checksum at the end of the bytes.
    package let crc: UInt32
    /// The newest position after the commit, if it is one.
    package let head: Position?

    package init(bytes: [UInt8], crc: UInt32, head: Position? = nil) {
        self.bytes = bytes
        self.crc = crc
        self.head = head
    }

    /// A message of ``EntryWriter``: the checksum stands at its end, the lowest byte first.
    package init(message: [UInt8], head: Position? = nil) {
        let crc = message.suffix(EntryForm.sumBytes).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.init(bytes: message, crc: crc, head: head)
    }
}
