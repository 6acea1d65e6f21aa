/// A message of the journal whose bytes are checked and whose fields before the body are read.
///
/// - Confinement: any
package struct OpenedEntry: Sendable {
    let message: [UInt8]
    package let author: JournalEntry.Author
    let kind: EntryKind
    let flags: EntryFlags
    let body: Range<Int>
    /// The checksum of its bytes.
    package let crc: UInt32

    /// Checks a message's bytes and reads the fields before the body.
    package init(_ message: [UInt8]) throws(JournalProblem) {
        let end = message.count - EntryForm.sumBytes
        guard message.starts(with: EntryForm.signature) else { throw .notAnEntry }
        guard end >= EntryForm.signature.count + 1 else { throw .truncated(field: "checksum") }
        var reader = FieldReader(message, in: EntryForm.signature.count..<end)
        let version = try reader.byte("version")
        guard version == JournalEntry.version else { throw .version(version) }
        let counted = Checksum.crc32c(message, count: end)
        let written = Self.checksum(at: end, of: message)
        guard written == counted else { throw .checksum(written: written, counted: counted) }
        let kind = try reader.byte("kind")
        let flags = EntryFlags(rawValue: try reader.byte("flags"))
        let term = try reader.varint("term")
        let node = try reader.text("node")
        guard (1...JournalLimits.nodeBytesMax).contains(node.utf8.count) else { throw .value(field: "node") }
        guard flags.isSubset(of: .known) else { throw .flags(flags.rawValue, node: node, term: term) }
        guard let kind = EntryKind(rawValue: kind) else { throw .kind(kind, node: node, term: term) }
        author = .init(term: term, node: node, schema: try reader.count("schema"))
        self.message = message
        self.kind = kind
        self.flags = flags
        body = reader.place..<end
        crc = counted
    }

    private static func checksum(at end: Int, of message: [UInt8]) -> UInt32 {
        var written: UInt32 = 0
        for index in 0..<EntryForm.sumBytes { written |= UInt32(message[end + index]) << UInt32(8 * index) }
        return written
    }

    /// Its facts for leading, when it stands at a place in the journal.
    ///
    /// - Parameter previous: the entry before it, as its author says; nil where authors say nothing of it.
    package func facts(at sequence: UInt64, after previous: UInt64? = nil) -> EntryFacts {
        let kind: EntryFacts.Kind =
            switch kind {
            case .lead: .lead
            case .commit: .commit(hasMoreParts: flags.contains(.moreParts))
            case .schema: .schema
            case .mark: .mark
            }
        return EntryFacts(
            sequence: sequence, kind: kind, stamp: EntryStamp(node: author.node, term: author.term, crc: crc),
            previous: previous)
    }
}
