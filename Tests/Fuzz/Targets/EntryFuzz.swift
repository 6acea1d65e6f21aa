import Journal

/// Entries of the journal. The checksum of an input is made right first, so that the fields are reached; an accepted
/// entry of a small kind is written again as the same bytes, and all places in a commit are inside of it.
struct EntryFuzz: FuzzTarget {
    static let name = "Entry"

    init() {}

    func check(_ input: [UInt8]) throws {
        _ = try? read(input)
        guard input.count >= 4 else { return }
        var message = Array(input.dropLast(4))
        let sum = Checksum.crc32c(message, count: message.count)
        for index in 0..<4 { message.append(UInt8(truncatingIfNeeded: sum >> UInt32(8 * index))) }
        guard let entry = try? read(message) else { return }
        let writer = EntryWriter(entry.author)
        switch entry.content {
        case .lead(let program): try check(writer.lead(program: program), against: message)
        case .schema(let number): try check(writer.schema(number), against: message)
        case .mark(let number): try check(writer.mark(number), against: message)
        case .commit(let commit): try check(commit)
        }
    }

    /// An entry has one form; a deflated one is never written for these small kinds.
    private func check(_ written: [UInt8], against message: [UInt8]) throws(Finding) {
        guard message[4] == 0 else { return }
        try expect(written, equals: message, "written again")
    }

    private func check(_ commit: JournalEntry.Commit) throws {
        let list = commit.statements
        try expect(list.runs.last?.arguments.upperBound ?? 0, equals: list.arguments.count, "arguments")
        for run in list.runs { try expect(list.texts.indices.contains(run.text), "a run without a text") }
        for argument in list.arguments {
            switch argument {
            case .text(let range), .blob(let range):
                try expect(range.upperBound <= list.bytes.count, "an argument outside of the body")
            case .null, .integer, .real: break
            }
        }
        for reply in commit.replies { try expect(reply.stepCount <= commit.steps.count, "a reply after the steps") }
    }

    private func read(_ message: [UInt8]) throws -> JournalEntry? {
        var reader = EntryReader()
        return try reader.receive(message)
    }
}
