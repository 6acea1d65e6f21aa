import GRDB
import Journal
import Model
import StoreTestSupport
import TestSupport
import Testing

@testable import Log
@testable import Store

/// The record of the writer's transactions, and when it asks for an order.
struct WriteRecorderTests {
    private let store: TestStore
    private let journal = KeptOrder()

    init() throws { store = try TestStore() }

    @Test func `a node that is alone records nothing, and has no place in a journal`() throws {
        _ = try store.user("alice")
        #expect(store.writer.place == nil)
        #expect(try store.read { try $0.access.meta(.journal) } == nil)
        #expect(try store.read { $0.access.recorder == nil })
    }

    @Test func `a commit is recorded with its texts, arguments and rows, and with its steps`() throws {
        let alice = try store.user("alice")
        store.writer.order = journal
        try store.write { transaction in
            try transaction.users.setLanguage(LanguageTag("it"), of: alice)
            try transaction.append(event(transaction.nextPosition), to: alice)
        }
        let commit = try #require(try journal.commits().last)
        #expect(commit.statements.texts == ["UPDATE users SET language = ? WHERE id = ?", LoggedEvent.insertSQL])
        #expect(commit.statements.runs.map(\.rows) == [1, 1])
        let arguments = commit.statements.arguments
        #expect(arguments[1] == .integer(alice.value))
        #expect(arguments[2] == .integer(commit.head.value))
        #expect(arguments[4...5] == [.null, .null])
        #expect(commit.before.next == commit.head)
        guard case .publication(let publication) = commit.steps.first else {
            Issue.record("no publication")
            return
        }
        #expect(publication.payload == .same(event(commit.head)))
        #expect(store.writer.place == JournalPlace(sequence: 1, term: 7))
        #expect(try store.read { try $0.access.journalPlace() } == store.writer.place)
    }

    @Test func `rows that a trigger of the database changes are counted as well`() throws {
        try store.write { transaction in
            try transaction.access.run(
                """
                INSERT INTO webhook_jobs(trigger, change, endpoint, name, path, event, chain, data, at, due)
                VALUES ('t', 1, 1, 'e_1_t', 'a/1', 'write', 'c', '{}', 1, 1)
                """)
        }
        try store.write { transaction in
            try transaction.access.run(
                """
                INSERT INTO dead(trigger, path, change, reason, at, job)
                SELECT trigger, path, change, '410', 1, id FROM webhook_jobs
                """)
            try transaction.access.run("UPDATE webhook_jobs SET state = 'dead'")
        }
        store.writer.order = journal
        #expect(try store.write { try $0.dead.delete(1) })
        #expect(try journal.commits().last?.statements.runs.map(\.rows) == [2], "the letter, and its job")
    }

    @Test func `a write that a savepoint undoes is not recorded`() throws {
        store.writer.order = journal
        try store.write { transaction in
            _ = try transaction.streams.findOrMake(topic("a:1"))
            try? transaction.savepoint {
                _ = try transaction.streams.findOrMake(topic("a:2"))
                try transaction.access.run("INSERT INTO streams(name) SELECT 'none' WHERE false")
                throw Failure()
            }
            _ = try transaction.streams.findOrMake(topic("a:3"))
        }
        let list = try #require(try journal.commits().last).statements
        #expect(list.runs.count == 2)
        #expect(list.texts == ["INSERT INTO streams(name) VALUES (?)"])
        #expect(try journal.texts(of: list) == ["a:1", "a:3"])
    }

    @Test func `a refused item leaves nothing, also where it wrote before`() throws {
        store.writer.order = journal
        let items = ["a:1", "refused", "a:2"]
        _ = try store.writer.commit(items) { name, transaction in
            try transaction.access.run("INSERT INTO streams(name) SELECT 'none' WHERE false")
            if name == "refused" {
                _ = try transaction.streams.findOrMake(topic("a:9"))
                throw Failure()
            }
            _ = try transaction.streams.findOrMake(topic(name))
        } refuse: { _ in
        }
        let list = try #require(try journal.commits().last).statements
        #expect(try journal.texts(of: list) == ["a:1", "a:2"])
        #expect(list.runs.count == 4)
    }

    @Test func `a statement that fails is not recorded`() throws {
        store.writer.order = journal
        try store.write { transaction in
            _ = try transaction.streams.findOrMake(topic("a:1"))
            #expect(throws: DatabaseError.self) {
                try transaction.access.run("INSERT INTO streams(name) VALUES (?)", ["a:1"])
            }
        }
        #expect(try #require(try journal.commits().last).statements.runs.count == 1)
    }

    @Test func `an update or a deletion that finds no row is left out, an insertion is not`() throws {
        store.writer.order = journal
        try store.write { transaction in
            try transaction.access.run("DELETE FROM streams WHERE name = 'a:1'")
            try transaction.access.run("UPDATE streams SET name = 'a:2' WHERE name = 'a:1'")
        }
        #expect(journal.messages.isEmpty)
        try store.write { transaction in
            _ = try transaction.streams.findOrMake(topic("a:1"))
            try transaction.access.run("DELETE FROM streams WHERE name = 'a:2'")
            try transaction.access.run("INSERT OR IGNORE INTO streams(name) VALUES (?)", ["a:1"])
        }
        let statements = try #require(try journal.commits().last).statements
        #expect(statements.runs.map(\.rows) == [1, 0])
    }

    @Test func `a commit that writes nothing asks for no order`() throws {
        store.writer.order = journal
        try store.write { _ in }
        _ = try store.writer.commit([1, 2]) { _, transaction in
            _ = try transaction.streams.findOrMake(topic("a:1"))
            throw Failure()
        } refuse: { _ in
        }
        try store.writer.probe()
        #expect(journal.messages.isEmpty)
        #expect(store.writer.place == nil)
    }

    @Test func `a commit without an order is undone, and the next one goes on`() throws {
        let head = try store.write { try $0.appendSilently() }
        store.writer.order = journal
        journal.problem = .fenced
        #expect(throws: OrderProblem.fenced) { try store.write { try $0.appendSilently() } }
        #expect(store.writer.head == head)
        #expect(store.writer.place == nil)
        journal.problem = nil
        #expect(try store.write { try $0.appendSilently() } == head.next)
        #expect(try store.read { try $0.log.count() } == head.value + 1)
    }

    @Test func `a write beside the recorder is found before the journal gets the commit`() throws {
        store.writer.order = journal
        #expect(throws: WriteRecorder.Unrecorded(rows: 1)) {
            try store.write { transaction in
                _ = try transaction.streams.findOrMake(topic("a:1"))
                try transaction.database.execute(sql: "UPDATE streams SET last = 3 WHERE name = 'a:1'")
            }
        }
        #expect(throws: WriteRecorder.Unrecorded(rows: 1)) {
            try store.write { transaction in
                try transaction.database.execute(sql: "INSERT INTO streams(name) VALUES ('a:2')")
                _ = try transaction.streams.findOrMake(topic("a:1"))
            }
        }
        #expect(journal.messages.isEmpty)
        #expect(try store.read { try $0.access.number("SELECT count(*) FROM streams") } == 1)
    }
}

/// A journal that keeps its entries.
final class KeptOrder: CommitOrder {
    private let entries = EntryWriter(JournalEntry.Author(term: 7, node: "a", schema: 25))
    private(set) var messages: [[UInt8]] = []
    var problem: OrderProblem?

    func order(_ record: CommitRecord) throws(OrderProblem) -> JournalPlace {
        if let problem { throw problem }
        do {
            messages += try entries.commit(record, at: Timestamp(milliseconds: 0))
        } catch { throw .entry(error) }
        return JournalPlace(sequence: UInt64(messages.count), term: 7)
    }

    /// All commits, as another node reads them.
    func commits() throws -> [JournalEntry.Commit] {
        var reader = EntryReader()
        return try messages.compactMap { message in
            guard case .commit(let commit) = try reader.receive(message)?.content else { return nil }
            return commit
        }
    }

    /// The arguments that are texts.
    func texts(of list: StatementList) throws -> [String] {
        list.arguments.compactMap { argument in
            guard case .text(let range) = argument else { return nil }
            return String(decoding: list.bytes[range], as: UTF8.self)
        }
    }
}
