package import Compression
import Model

/// Reads entries from the messages of the journal, in their order, and joins those that came in parts.
///
/// - Confinement: one thread at a time
package struct EntryReader {
    /// The parts of a commit so far.
    private struct Waiting {
        let author: JournalEntry.Author
        let flags: EntryFlags
        var body: [UInt8]
    }

    private let inflater: Inflater
    private var waiting: Waiting?

    /// - Parameter inflater: without a context.
    package init(inflater: Inflater = Inflater()) { self.inflater = inflater }

    /// Whether parts are here whose last one is not.
    package var waitsForParts: Bool { waiting != nil }

    /// Takes the next message.
    ///
    /// - Returns: the entry that it completes; nil when more parts must follow.
    /// - Throws: ``JournalProblem``: the node must stop before this message. The entries before it stand.
    package mutating func receive(_ message: [UInt8]) throws(JournalProblem) -> JournalEntry? {
        try receive(try OpenedEntry(message))
    }

    /// Takes the next message, which is open already.
    package mutating func receive(_ opened: OpenedEntry) throws(JournalProblem) -> JournalEntry? {
        let (message, author, kind) = (opened.message, opened.author, opened.kind)
        let (flags, body) = (opened.flags, opened.body)
        guard kind == .commit else {
            guard !flags.contains(.moreParts) else {
                throw .flags(flags.rawValue, node: author.node, term: author.term)
            }
            return try read(kind, flags, Array(message[body]), by: author)
        }
        let whole = try join(author, flags, message[body])
        guard !flags.contains(.moreParts) else { return nil }
        return JournalEntry(author: author, content: .commit(try commit(try inflated(flags, whole))))
    }

    /// An entry that is no commit. The author of a `lead` has seen the parts before it without their end: they are void.
    private mutating func read(
        _ kind: EntryKind, _ flags: EntryFlags, _ bytes: [UInt8], by author: JournalEntry.Author
    ) throws(JournalProblem) -> JournalEntry {
        let body = try inflated(flags, bytes)
        var reader = FieldReader(body, in: body.indices)
        let content: JournalEntry.Content
        switch kind {
        case .lead: content = .lead(program: try reader.text("program"))
        case .schema: content = .schema(try reader.count("schema"))
        case .mark: content = .mark(try reader.varint("mark"))
        case .commit: throw .value(field: "kind")
        }
        try reader.finish()
        if let waiting {
            guard kind == .lead, author.term > waiting.author.term else {
                throw .part(node: author.node, term: author.term)
            }
            self.waiting = nil
        }
        return JournalEntry(author: author, content: content)
    }

    /// Adds a part to those that wait.
    ///
    /// - Returns: all bytes so far.
    private mutating func join(
        _ author: JournalEntry.Author, _ flags: EntryFlags, _ part: ArraySlice<UInt8>
    ) throws(JournalProblem) -> [UInt8] {
        var body: [UInt8] = []
        if let waiting {
            guard waiting.author == author, waiting.flags == flags.subtracting(.moreParts) else {
                throw .part(node: author.node, term: author.term)
            }
            guard waiting.body.count + part.count <= JournalLimits.bodyBytesMax else {
                throw .tooLarge(bytesMax: JournalLimits.bodyBytesMax)
            }
            body = waiting.body
            self.waiting = nil
        }
        body.append(contentsOf: part)
        if flags.contains(.moreParts) {
            waiting = Waiting(author: author, flags: flags.subtracting(.moreParts), body: body)
        }
        return body
    }

    private func inflated(_ flags: EntryFlags, _ body: [UInt8]) throws(JournalProblem) -> [UInt8] {
        guard flags.contains(.deflated) else { return body }
        guard let inflated = try? inflater.decompress(body, bytesMax: JournalLimits.bodyBytesMax) else {
            throw .notInflated
        }
        return inflated
    }

    private func commit(_ body: [UInt8]) throws(JournalProblem) -> JournalEntry.Commit {
        var reader = FieldReader(body, in: body.indices)
        let before = try reader.position("position before")
        let head = try reader.position("position after")
        guard before <= head else { throw .value(field: "position after") }
        let at = Timestamp(milliseconds: try reader.signed("time"))
        let statements = try StatementList(reading: &reader)
        let steps = try reader.list("steps") { reader throws(JournalProblem) in try reader.step(of: statements) }
        let replies = try reader.list("replies", bytesMin: 5) { reader throws(JournalProblem) in
            try reader.reply(of: statements, steps: steps.count)
        }
        let webhooks = try reader.webhookTally()
        let pushes = try reader.pushTally()
        try reader.finish()
        return JournalEntry.Commit(
            before: before, head: head, at: at, statements: statements, steps: steps, replies: replies,
            webhooks: webhooks, pushes: pushes)
    }
}

@available(*, unavailable)
extension EntryReader: Sendable {}
