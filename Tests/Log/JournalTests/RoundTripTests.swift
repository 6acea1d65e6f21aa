import Compression
import Journal
import Model
import TestSupport
import Testing

/// Entries that are written, read, and written again.
struct RoundTripTests {
    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `a commit of chance is read as it was written`(_ seed: UInt64) throws {
        let sample = try RandomCommit(seed: seed)
        let messages = try Samples.writer.commit(sample.record, at: Samples.time, replies: sample.replies)
        let commit = try #require(try Samples.read(messages)?.commit)
        #expect(commit.replies == sample.replies)
        #expect(commit.head == sample.record.head)
        #expect(commit.pushes == sample.record.pushes)
        #expect(commit.statements.runs.count == sample.record.statements.runCount)
        #expect(commit.steps.map(\.inFull) == sample.record.steps.map(\.inFull))
        let again = try Samples.writer.commit(CommitRecord(repeating: commit), at: commit.at, replies: commit.replies)
        #expect(again == messages)
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `a record that was cut back is as if the rest had never been there`(_ seed: UInt64) throws {
        let before = try RandomCommit(seed: seed).record.statements
        var cut = before
        let mark = cut.mark
        let text = cut.addStatement("DELETE FROM a")
        cut.begin(text, arguments: 1)
        cut.add(text: "a text that is long enough to be found again")
        cut.end(rows: 1)
        cut.cut(to: mark)
        let other = cut.addStatement("UPDATE a")
        cut.begin(other, arguments: 2)
        cut.add(text: "x")
        cut.add(text: "a text that is long enough to be found again")
        cut.end(rows: 2)
        let list = try #require(try Samples.read(messages(cut))?.commit).statements
        #expect(list.texts.last == "UPDATE a")
        #expect(list.texts.count == before.textCount + 1)
        #expect(list.runs.count == before.runCount + 1)
        guard case .text(let range) = list.arguments.last else {
            Issue.record("no text")
            return
        }
        #expect(String(decoding: list.bytes[range], as: UTF8.self) == "a text that is long enough to be found again")
    }

    private func messages(_ statements: StatementRecord) throws -> [[UInt8]] {
        let record = CommitRecord(
            before: .zero, head: .zero, statements: statements, steps: [], stepCounts: [], webhooks: WebhookTally(),
            pushes: PushTally())
        return try Samples.writer.commit(record, at: Samples.time)
    }

    /// A record whose bytes cannot be made smaller.
    private func large(_ bytes: Int) -> StatementRecord {
        var random = SeededRandom(seed: 1)
        var statements = StatementRecord()
        let text = statements.addStatement("INSERT INTO a VALUES (?)")
        statements.begin(text, arguments: 1)
        statements.add(blob: random.bytes(bytes))
        statements.end(rows: 1)
        return statements
    }

    @Test func `a large commit goes in parts of at most 4 MiB`() throws {
        let messages = try messages(large(9 << 20))
        #expect(messages.count == 3)
        #expect(messages.allSatisfy { $0.count <= JournalLimits.messageBytesMax })
        var reader = EntryReader()
        #expect(try reader.receive(messages[0]) == nil)
        #expect(reader.waitsForParts)
        #expect(try reader.receive(messages[1]) == nil)
        let commit = try #require(try reader.receive(messages[2])?.commit)
        #expect(!reader.waitsForParts)
        #expect(commit.statements.bytes.count > 9 << 20)
    }

    @Test func `parts without their last one are void after a later lead, and nothing else may follow them`() throws {
        let messages = try messages(large(5 << 20))
        var reader = EntryReader()
        _ = try reader.receive(messages[0])
        #expect(throws: JournalProblem.part(node: "n1", term: 300)) { try reader.receive(Samples.writer.mark(1)) }
        #expect(throws: JournalProblem.part(node: "n1", term: 300)) {
            try reader.receive(Samples.writer.lead(program: "same term"))
        }
        let next = EntryWriter(.init(term: 301, node: "n2", schema: 25))
        #expect(throws: JournalProblem.part(node: "n2", term: 301)) {
            try reader.receive(next.commit(Samples.commit(), at: Samples.time)[0])
        }
        #expect(reader.waitsForParts)
        #expect(try reader.receive(next.lead(program: "1")) != nil)
        #expect(!reader.waitsForParts)
        #expect(try reader.receive(next.commit(Samples.commit(), at: Samples.time)[0])?.commit != nil)
    }

    @Test func `a body is deflated when that makes it smaller, and is read the same`() throws {
        var statements = StatementRecord()
        let text = statements.addStatement("INSERT INTO a VALUES (?, ?)")
        for number in 0..<500 {
            statements.begin(text, arguments: 2)
            statements.add(integer: Int64(number))
            statements.add(text: "{\"type\":\"message\",\"text\":\"hello, number \(number)\"}")
            statements.end(rows: 1)
        }
        let record = CommitRecord(
            before: .zero, head: .zero, statements: statements, steps: [], stepCounts: [], webhooks: WebhookTally(),
            pushes: PushTally())
        let plain = try Samples.writer.commit(record, at: Samples.time)
        let deflated = try Samples.writer.commit(record, at: Samples.time, deflater: Deflater())
        #expect(2 * deflated[0].count < plain[0].count)
        #expect(deflated[0][4] == 1)
        let commit = try #require(try Samples.read(deflated)?.commit)
        #expect(commit.statements.runs == (try Samples.read(plain)?.commit)?.statements.runs)
        #expect(commit.statements.arguments == (try Samples.read(plain)?.commit)?.statements.arguments)
        var damaged = Array(deflated[0].dropLast(4))
        damaged[40] ^= 0xFF
        #expect(throws: JournalProblem.self) { try Samples.read([sealed(damaged)]) }
        let noise = CommitRecord(
            before: .zero, head: .zero, statements: large(10_000), steps: [], stepCounts: [],
            webhooks: WebhookTally(), pushes: PushTally())
        #expect(try Samples.writer.commit(noise, at: Samples.time, deflater: Deflater())[0][4] == 0)
    }
}
