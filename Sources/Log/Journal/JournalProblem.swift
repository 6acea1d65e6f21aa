/// Why bytes of the journal are not an entry. The node stops there: to go on without the entry would lose it.
///
/// - Confinement: any
package enum JournalProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The first bytes are not those of an entry.
    case notAnEntry
    /// A program with another format wrote it.
    case version(UInt8)
    case checksum(written: UInt32, counted: UInt32)
    /// A later program wrote it.
    case kind(UInt8, node: String, term: UInt64)
    /// A later program wrote it.
    case flags(UInt8, node: String, term: UInt64)
    /// The bytes end before a field does.
    case truncated(field: String)
    /// A field has a value that it cannot have, or another form than the one that is written for its value.
    case value(field: String)
    /// Bytes follow the last field.
    case rest(bytes: Int)
    /// The body is larger than any that is written.
    case tooLarge(bytesMax: Int)
    /// The body is not deflated in the way in which bodies are.
    case notInflated
    /// A part of an entry follows one that it does not belong to.
    case part(node: String, term: UInt64)

    package var description: String {
        switch self {
        case .notAnEntry: "the message is not an entry of this server's journal"
        case .version(let version):
            "the entry has version \(version), and this program reads version \(JournalEntry.version): "
                + "another program wrote it"
        case .checksum(let written, let counted):
            "the entry is damaged: its checksum is \(String(written, radix: 16)), "
                + "and that of its bytes \(String(counted, radix: 16))"
        case .kind(let kind, let node, let term):
            "the entry has kind \(kind), which this program does not know; node '\(node)' wrote it, in term \(term)"
        case .flags(let flags, let node, let term):
            "the entry has the flags \(flags), which this program does not know; node '\(node)' wrote it, "
                + "in term \(term)"
        case .truncated(let field): "the entry ends before its field '\(field)' does"
        case .value(let field): "the entry has a wrong value in its field '\(field)'"
        case .rest(let bytes): "the entry has \(bytes) bytes after its last field"
        case .tooLarge(let bytesMax): "the entry has more than \(bytesMax) bytes"
        case .notInflated: "the entry's body cannot be inflated"
        case .part(let node, let term):
            "a part of an entry of node '\(node)', term \(term), stands where the next part of another one is expected"
        }
    }
}
