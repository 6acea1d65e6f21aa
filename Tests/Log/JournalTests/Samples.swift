import Compression
import Journal
import Model
import TestSupport

/// Commits for the tests, fixed ones and random ones.
enum Samples {
    static let author = JournalEntry.Author(term: 300, node: "n1", schema: 25)
    static let writer = EntryWriter(author)
    static let event = Array("{\"type\":\"message\",\"seq\":12}".utf8)

    /// One that has each type of argument, and texts that stand in it already.
    static func statements() -> StatementRecord {
        var record = StatementRecord()
        let insert = record.addStatement("INSERT INTO changes(seq, body) VALUES (?, ?)")
        let update = record.addStatement("UPDATE a SET b = ?, c = ?, d = ?, e = ?")
        record.begin(insert, arguments: 2)
        record.add(integer: 12)
        record.add(text: event)
        record.end(rows: 1)
        record.begin(update, arguments: 4)
        record.addNull()
        record.add(blob: [0x00, 0xFF])
        record.add(real: -1.5)
        record.add(text: String(decoding: event, as: UTF8.self))
        record.end(rows: 3)
        return record
    }

    static func commit() -> CommitRecord {
        var webhooks = WebhookTally()
        webhooks.queued = 1
        webhooks.isTouched = true
        let publication = Publication(
            position: Position(12), name: .message, stream: StreamID(chat: 4), secondStream: StreamID(stored: 9),
            payload: .same(event))
        let counts = SessionChange.unread(
            user: StreamID(stored: 5), counts: UnreadCounts(chats: 1, notifications: 2), asOf: Position(12))
        return CommitRecord(
            before: Position(11), head: Position(12), statements: statements(),
            steps: [.publication(publication), .change(counts)], stepCounts: [2], webhooks: webhooks,
            pushes: PushTally())
    }

    static let replies = [
        JournalReply(node: "n2", ticket: 77, stepCount: 2, outcome: .answer(Array("{\"n\":1}".utf8))),
        JournalReply(node: "n1", ticket: 78, stepCount: 2, outcome: .refusal(event)),
    ]

    static let time = Timestamp(milliseconds: 1_795_000_000_000)

    /// The bytes of an entry's messages, read by one reader.
    static func read(_ messages: [[UInt8]]) throws -> JournalEntry? {
        var reader = EntryReader()
        var entry: JournalEntry?
        for message in messages { entry = try reader.receive(message) }
        return entry
    }
}

extension JournalEntry {
    /// The commit; nil for all other kinds.
    var commit: Commit? {
        guard case .commit(let commit) = content else { return nil }
        return commit
    }
}

extension CommitRecord {
    /// A commit that was read, recorded again.
    init(repeating commit: JournalEntry.Commit) {
        var record = StatementRecord()
        for text in commit.statements.texts { _ = record.addStatement(text) }
        for run in commit.statements.runs {
            record.begin(run.text, arguments: run.arguments.count)
            for argument in commit.statements.arguments[run.arguments] {
                switch argument {
                case .null: record.addNull()
                case .integer(let number): record.add(integer: number)
                case .real(let number): record.add(real: number)
                case .text(let range): record.add(text: Array(commit.statements.bytes[range]))
                case .blob(let range): record.add(blob: Array(commit.statements.bytes[range]))
                }
            }
            record.end(rows: run.rows)
        }
        self.init(
            before: commit.before, head: commit.head, statements: record, steps: commit.steps, stepCounts: [],
            webhooks: commit.webhooks, pushes: commit.pushes)
    }
}
