import GRDB
import Journal
import Model
import Privacy
import ServicesTestSupport
import StoreTestSupport
import Testing

@testable import Log
@testable import Store

/// The node that follows beside every `House` finds each planted mistake of the recorder.
struct JournalMirrorTests {
    private let house: House

    init() throws {
        house = try House()
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob")
    }

    @Test func `a record that is whole makes an equal copy`() throws {
        try house.send("bob", "alice", "hello")
        #expect(house.mirror.finish() == [])
        #expect(house.mirror.texts.contains { $0.hasPrefix("INSERT INTO messages") })
    }

    @Test func `an argument that is not recorded is found in the rows`() throws {
        house.mirror.damage = { try $0.changed { $0.hasPrefix("INSERT INTO messages") ? [2: .integer(999)] : [:] } }
        try house.send("bob", "alice", "hello")
        let findings = house.mirror.finish()
        #expect(findings.contains { $0.hasPrefix("only in the copy: messages") })
        #expect(findings.contains { $0.hasPrefix("only in the original: messages") })
    }

    @Test func `a key that is not recorded is found by SQLite's changeset, and as a divergence`() throws {
        house.mirror.damage = { try $0.changed { $0.hasPrefix("INSERT INTO changes") ? [0: .integer(999)] : [:] } }
        try house.send("bob", "alice", "hello")
        let findings = house.mirror.finish()
        #expect(findings.contains { $0.contains("SQLite names rows that the record does not: [\"changes ") })
    }

    @Test func `a statement that is missing in the record is found by SQLite's changeset`() throws {
        house.mirror.damage = { try $0.changed { $0.hasPrefix("INSERT INTO keys") ? nil : [:] } }
        try house.send("bob", "alice", "hello")
        let findings = house.mirror.finish()
        #expect(findings.contains { $0.contains("SQLite names rows that the record does not: [\"keys ") })
        #expect(findings.contains { $0.hasPrefix("only in the original: keys") })
    }

    @Test func `a statement that runs beside the recorder is found before the commit`() throws {
        #expect(throws: WriteRecorder.Unrecorded(rows: 2)) {
            try house.writer.commit([()]) { _, transaction in
                try transaction.database.execute(sql: "UPDATE users SET language = 'it'")
                _ = try transaction.appendSilently()
            } refuse: { _ in
            }
        }
        #expect(house.mirror.finish() == [])
    }

    @Test func `a transaction beside the recorder is found in the rows and by SQLite's changeset`() throws {
        _ = try house.writer.commit([()], by: nil) { _, transaction in
            try transaction.access.run("UPDATE users SET language = 'it'")
        } refuse: {
            Issue.record($0)
        }
        try house.send("bob", "alice", "hello")
        let findings = house.mirror.finish()
        #expect(findings.contains { $0.contains("SQLite names rows that the record does not: [\"users ") })
        #expect(findings.contains { $0.hasPrefix("only in the copy: users") })
    }

    @Test func `a text that every node would understand in its own way is found`() throws {
        _ = try house.writer.commit([()]) { _, transaction -> Void in
            // Insertions, since an update that finds no row is not recorded.
            for value in ["(SELECT name FROM streams LIMIT 1)", "hex(random())", "datetime('now')", "changes()"] {
                try transaction.access.run("INSERT INTO streams(name) SELECT \(value) WHERE false")
            }
        } refuse: {
            Issue.record($0)
        }
        #expect(
            Set(house.mirror.finish().compactMap { $0.split(separator: ":").first.map(String.init) }) == [
                "LIMIT without ORDER BY", "random()", "the time of the node's clock", "changes()",
            ])
    }
}

extension CommitRecord {
    /// The record with other arguments.
    ///
    /// - Parameter change: gives the arguments that are others, by their places, for the text of a statement; nil to
    ///   leave its runs out.
    fileprivate func changed(
        _ change: (String) -> [Int: StatementList.Argument]?
    ) throws -> CommitRecord {
        var reader = EntryReader()
        let written = try EntryWriter(.init(term: 1, node: "a", schema: 1)).commit(self, at: Timestamp(milliseconds: 0))
        guard case .commit(let commit) = try reader.receive(written[0])?.content else { return self }
        let list = commit.statements
        var record = StatementRecord()
        for text in list.texts { _ = record.addStatement(text) }
        for run in list.runs {
            guard let others = change(list.texts[run.text]) else { continue }
            record.begin(run.text, arguments: run.arguments.count)
            for (place, argument) in list.arguments[run.arguments].enumerated() {
                switch others[place] ?? argument {
                case .null: record.addNull()
                case .integer(let number): record.add(integer: number)
                case .real(let number): record.add(real: number)
                case .text(let range): record.add(text: Array(list.bytes[range]))
                case .blob(let range): record.add(blob: Array(list.bytes[range]))
                }
            }
            record.end(rows: run.rows)
        }
        return CommitRecord(
            before: before, head: head, statements: record, steps: steps, stepCounts: stepCounts, webhooks: webhooks,
            pushes: pushes)
    }
}
