package import Compression
package import Model

/// Writes entries of one author.
///
/// ```
/// "WW" version kind flags term node schema body crc32c
/// ```
///
/// - Confinement: any
package struct EntryWriter: Sendable {
    private let author: JournalEntry.Author

    package init(_ author: JournalEntry.Author) { self.author = author }

    /// The entry with which the author begins to lead.
    package func lead(program: String) -> [UInt8] {
        var body: [UInt8] = []
        body.append(text: program)
        return message(.lead, [], body[...])
    }

    /// Every node is to run a migration.
    package func schema(_ number: Int) -> [UInt8] {
        var body: [UInt8] = []
        body.append(count: number)
        return message(.schema, [], body[...])
    }

    /// Every node is to digest its tables.
    package func mark(_ number: UInt64) -> [UInt8] {
        var body: [UInt8] = []
        body.append(varint: number)
        return message(.mark, [], body[...])
    }

    /// The messages of a commit: one, or several parts of a large one, in their order.
    ///
    /// - Parameters:
    ///   - at: the time of the leading node's clock.
    ///   - replies: for the nodes of the sessions.
    ///   - deflater: without a context; nil to write the body as it is.
    /// - Throws: ``JournalProblem/tooLarge(bytesMax:)``.
    package func commit(
        _ record: CommitRecord, at time: Timestamp, replies: [JournalReply] = [], deflater: Deflater? = nil
    ) throws(JournalProblem) -> [[UInt8]] {
        var body: [UInt8] = []
        body.reserveCapacity(record.statements.byteCount + 64 * record.steps.count + 64)
        body.append(varint: UInt64(record.before.value))
        body.append(varint: UInt64(record.head.value))
        body.append(signed: time.milliseconds)
        record.statements.write(to: &body)
        body.append(list: record.steps) { $0.append(step: $1, of: record.statements) }
        body.append(list: replies) { $0.append(reply: $1, of: record.statements) }
        body.append(tally: record.webhooks)
        body.append(tally: record.pushes)
        guard body.count <= JournalLimits.bodyBytesMax else { throw .tooLarge(bytesMax: JournalLimits.bodyBytesMax) }
        var flags: EntryFlags = []
        if let deflater, body.count >= JournalLimits.deflatedBytesMin {
            let deflated = deflater.compress(body)
            if deflated.count < body.count {
                flags = .deflated
                body = deflated
            }
        }
        return parts(flags, body)
    }

    private func parts(_ flags: EntryFlags, _ body: [UInt8]) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var rest = body[...]
        while rest.count > JournalLimits.partBytesMax {
            messages.append(message(.commit, flags.union(.moreParts), rest.prefix(JournalLimits.partBytesMax)))
            rest = rest.dropFirst(JournalLimits.partBytesMax)
        }
        messages.append(message(.commit, flags, rest))
        return messages
    }

    private func message(_ kind: EntryKind, _ flags: EntryFlags, _ body: ArraySlice<UInt8>) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(body.count + author.node.utf8.count + 32)
        message.append(contentsOf: EntryForm.signature)
        message.append(JournalEntry.version)
        message.append(kind.rawValue)
        message.append(flags.rawValue)
        message.append(varint: author.term)
        message.append(text: author.node)
        message.append(count: author.schema)
        message.append(contentsOf: body)
        let sum = Checksum.crc32c(message, count: message.count)
        for index in 0..<4 { message.append(UInt8(truncatingIfNeeded: sum >> UInt32(8 * index))) }
        return message
    }
}

/// The bounds of entries.
///
/// - Confinement: any
package enum JournalLimits {
    /// Of one message of the journal, whose server takes 8 MB: larger commits go in parts.
    package static let messageBytesMax = 4 << 20
    /// Of the body in a message; the rest is for the fields around it.
    package static let partBytesMax = messageBytesMax - 1024
    /// Of a body that is not deflated: 500 commands of the largest kind, whose texts stand in it twice.
    package static let bodyBytesMax = 256 << 20
    /// Smaller bodies are never deflated: that costs the leading node more than the bytes cost the network.
    package static let deflatedBytesMin = 4096
    /// Of a node's name.
    package static let nodeBytesMax = 255
}

enum EntryForm {
    static let signature: [UInt8] = Array("WW".utf8)
    /// Of the checksum.
    static let sumBytes = 4
}

enum EntryKind: UInt8 {
    case lead = 1
    case commit, schema, mark
}

/// - Confinement: any
struct EntryFlags: OptionSet, Sendable {
    let rawValue: UInt8

    static let deflated = EntryFlags(rawValue: 1)
    static let moreParts = EntryFlags(rawValue: 2)
    static let known: EntryFlags = [.deflated, .moreParts]
}
