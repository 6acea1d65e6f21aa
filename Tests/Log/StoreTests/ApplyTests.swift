import GRDB
import Journal
import Model
import StoreTestSupport
import TestSupport
import Testing

@testable import Log
@testable import Store

/// A node that follows: it repeats entries, and refuses those that do not fit its tables.
struct ApplyTests {
    private let store: TestStore
    private let journal = KeptOrder()
    private let copy: StoreCopy

    init() throws {
        store = try TestStore()
        _ = try store.user("alice")
        copy = try StoreCopy(of: store.directory)
        store.writer.order = journal
    }

    private func place(_ sequence: UInt64) -> JournalPlace { JournalPlace(sequence: sequence, term: 7) }

    @Test func `an entry that is applied makes the same rows, the same head and the same steps`() throws {
        let stream = try store.write { try $0.streams.findOrMake(topic("a:1")) }
        try store.write { try $0.append(event($0.nextPosition), to: stream, isFollowed: true) }
        for (index, commit) in try journal.commits().enumerated() {
            let committed = try copy.writer.apply(commit, at: place(UInt64(index + 1)))
            #expect(committed.head == commit.head)
            #expect(committed.steps.count == commit.steps.count)
        }
        #expect(copy.writer.head == store.writer.head)
        #expect(copy.writer.place == place(2))
        #expect(try copy.differences() == [])
    }

    @Test func `an entry is applied once, and none of an older leadership`() throws {
        try store.write { try $0.appendSilently() }
        let commit = try #require(try journal.commits().first)
        _ = try copy.writer.apply(commit, at: place(1))
        #expect(throws: Divergence.place(place(1), after: place(1))) { try copy.writer.apply(commit, at: place(1)) }
        let older = JournalPlace(sequence: 2, term: 6)
        #expect(throws: Divergence.place(older, after: place(1))) { try copy.writer.pass(older) }
        try copy.writer.pass(place(5))
        #expect(try copy.writer.read { try $0.access.journalPlace() } == place(5))
        #expect(try copy.writer.read { try $0.log.count() } == store.writer.head.value)
    }

    @Test func `an entry that does not continue this node's log is refused, and nothing of it is done`() throws {
        try store.write { try $0.appendSilently() }
        try store.write { try $0.appendSilently() }
        let commit = try #require(try journal.commits().last)
        let head = copy.writer.head
        #expect(throws: Divergence.head(expected: commit.before, found: head)) {
            try copy.writer.apply(commit, at: place(2))
        }
        #expect(copy.writer.head == head)
        #expect(copy.writer.place == nil)
        #expect(try copy.writer.read { try $0.log.count() } == head.value)
    }

    @Test func `another count of rows, or a refusal of SQLite, is a divergence that names the statement`() throws {
        let alice = try store.read { try $0.users.find(try userID("alice")) }
        try store.write { try $0.users.setLanguage(LanguageTag("it"), of: #require(alice).id) }
        try store.write { _ = try $0.streams.findOrMake(topic("a:1")) }
        let commits = try journal.commits()
        try copy.writer.commitAlone { try $0.run("DELETE FROM users") }
        #expect(
            throws: Divergence.rows(statement: "UPDATE users SET language = ? WHERE id = ?", expected: 1, found: 0)
        ) { try copy.writer.apply(commits[0], at: place(1)) }
        try copy.writer.commitAlone { try $0.run("INSERT INTO streams(name) VALUES ('a:1')") }
        let problem = #expect(throws: Divergence.self) { try copy.writer.apply(commits[1], at: place(2)) }
        guard case .refused("INSERT INTO streams(name) VALUES (?)", _) = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(copy.writer.place == nil)
    }

    @Test func `a number of arguments that is not that of the parameters is refused`() throws {
        var statements = StatementRecord()
        let text = statements.addStatement("DELETE FROM streams WHERE id > ? AND id < ?")
        statements.begin(text, arguments: 1)
        statements.add(integer: 0)
        statements.end(rows: 0)
        let record = CommitRecord(
            before: copy.writer.head, head: copy.writer.head, statements: statements, steps: [], stepCounts: [],
            webhooks: WebhookTally(), pushes: PushTally())
        _ = try journal.order(record)
        let commit = try #require(try journal.commits().last)
        #expect(throws: Divergence.arguments(statement: "DELETE FROM streams WHERE id > ? AND id < ?")) {
            try copy.writer.apply(commit, at: place(1))
        }
        #expect(try copy.writer.read { try $0.access.number("SELECT count(*) FROM streams") } > 0)
    }

    @Test func `numbers that SQLite gives are the same, also after one that a conflict has used up`() throws {
        for urls in [["a", "a", "b"], ["b", "c"], ["c", "a", "d"]] {
            try store.write { transaction in
                for url in urls {
                    try transaction.access.run("INSERT OR IGNORE INTO webhook_endpoints(url) VALUES (?)", [url])
                }
            }
        }
        for (index, commit) in try journal.commits().enumerated() {
            _ = try copy.writer.apply(commit, at: place(UInt64(index + 1)))
        }
        #expect(try copy.differences() == [])
        #expect(try store.read { try $0.access.number("SELECT max(id) FROM webhook_endpoints") } > 4)
    }

    @Test func `every type of argument comes to the tables as it was`() throws {
        var statements = StatementRecord()
        let text = statements.addStatement(
            """
            INSERT INTO node(name, value)
            VALUES ('types', typeof(?) || typeof(?) || typeof(?) || hex(?) || hex(?) || ?)
            """)
        statements.begin(text, arguments: 6)
        statements.addNull()
        statements.add(real: 1.5)
        statements.add(blob: [])
        statements.add(blob: [0, 255])
        statements.add(text: "")
        statements.add(integer: -7)
        statements.end(rows: 1)
        let record = CommitRecord(
            before: copy.writer.head, head: copy.writer.head, statements: statements, steps: [], stepCounts: [],
            webhooks: WebhookTally(), pushes: PushTally())
        _ = try journal.order(record)
        _ = try copy.writer.apply(try #require(try journal.commits().last), at: place(1))
        let value: String? = try copy.writer.read { try $0.access.value("SELECT value FROM node WHERE name = 'types'") }
        #expect(value == "nullrealblob00FF-7")
    }

    @Test func `a commit that the journal has without having answered is applied from there`() throws {
        try store.write { try $0.appendSilently() }
        let head = store.writer.head
        let silent = SilentJournal(journal)
        store.writer.order = silent
        #expect(throws: OrderProblem.unanswered(seconds: 5)) { try store.write { try $0.appendSilently() } }
        #expect(store.writer.head == head)
        #expect(store.writer.place == place(1))
        let commit = try #require(try journal.commits().last)
        _ = try store.writer.apply(commit, at: place(2))
        #expect(store.writer.head == head.next)
        #expect(store.writer.place == place(2))
    }
}

/// The lead changes from one node to the other and back: what the writer remembered from before must not come back.
struct AlternatingTests {
    @Test func `two nodes that lead in turns have equal rows`() throws {
        let store = try TestStore()
        let (alice, bob) = (try store.user("alice"), try store.user("bob"))
        let copy = try StoreCopy(of: store.directory)
        let journal = KeptOrder()
        let name = try #require(ChatID(between: try userID("alice"), and: try userID("bob")))
        let writers = [store.writer, copy.writer]
        for round in 0..<8 {
            let (leading, following) = (writers[round % 2], writers[(round + 1) % 2])
            leading.order = journal
            following.order = nil
            for _ in 0..<3 {
                let committed = try leading.commit([()]) { _, transaction -> (any Error)? in
                    try Self.send(in: name, from: alice, to: bob, transaction)
                    return nil
                } refuse: {
                    $0
                }
                if let error = committed.items[0].outcome { throw error }
                let sequence = UInt64(journal.messages.count)
                _ = try following.apply(
                    try #require(try journal.commits().last), at: JournalPlace(sequence: sequence, term: 7))
            }
            #expect(try copy.differences() == [])
        }
        let chat = try store.read { try #require(try $0.chats.find(name)) }
        #expect(chat.last == 24)
    }

    /// The writer keeps what a message changes in a chat until the next savepoint, and that of a refused write is cut.
    @Test func `a refused write takes nothing of an earlier one of its batch from the record`() throws {
        let store = try TestStore()
        let (alice, bob) = (try store.user("alice"), try store.user("bob"))
        let name = try #require(ChatID(between: try userID("alice"), and: try userID("bob")))
        try store.write { try Self.send(in: name, from: alice, to: bob, $0) }
        let copy = try StoreCopy(of: store.directory)
        let journal = KeptOrder()
        store.writer.order = journal
        let committed = try store.writer.commit(["sent", "refused", "sent", "refused"]) { item, transaction in
            guard item == "sent" else {
                _ = try transaction.streams.findOrMake(topic("a:9"))
                throw Undone()
            }
            try Self.send(in: name, from: alice, to: bob, transaction)
            return true
        } refuse: { _ in
            false
        }
        #expect(committed.items.map(\.outcome) == [true, false, true, false])
        _ = try copy.writer.apply(try #require(try journal.commits().last), at: JournalPlace(sequence: 1, term: 7))
        #expect(try copy.differences() == [])
    }

    @Test func `the node that follows knows of the first device for pushes`() throws {
        let store = try TestStore()
        let copy = try StoreCopy(of: store.directory)
        let journal = KeptOrder()
        #expect(try !Self.hasDevice(copy.writer))
        store.writer.order = journal
        try store.write {
            try $0.access.run(
                """
                INSERT INTO push_devices(user, device, platform, target, target_kind, privacy, registered, used)
                VALUES (2, 'd', 'web', 't', 'k', 'full', 1, 1)
                """)
        }
        _ = try copy.writer.apply(
            try #require(try journal.commits().last), at: JournalPlace(sequence: 1, term: 7))
        #expect(try Self.hasDevice(copy.writer))
    }

    /// As a write on that node would ask.
    private static func hasDevice(_ writer: Writer) throws -> Bool {
        let committed = try writer.commit([()]) { _, transaction in
            Result<Bool, any Error>.success(try transaction.access.hasAnyPushDevice())
        } refuse: {
            .failure($0)
        }
        return try committed.items[0].outcome.get()
    }

    /// A message whose chat is remembered by the writer.
    private static func send(
        in name: ChatID, from author: StreamID, to other: StreamID, _ transaction: WriteTransaction
    ) throws {
        let known = try transaction.chats.find(name)
        let chat = try known ?? transaction.chats.make(name, members: [author, other])
        let n = chat.last + 1
        let position = try transaction.append(
            event(transaction.nextPosition), chat: chat.id, number: n, to: author, and: other)
        try transaction.chats.setLast(n, at: position, in: chat.id)
        try transaction.chats.addUnread(to: other, in: chat.id)
    }
}

private struct Undone: Error {}

/// Keeps the commit, and its answer is lost.
private final class SilentJournal: CommitOrder {
    private let journal: KeptOrder

    init(_ journal: KeptOrder) { self.journal = journal }

    func order(_ record: CommitRecord) throws(OrderProblem) -> JournalPlace {
        _ = try journal.order(record)
        throw .unanswered(seconds: 5)
    }
}

extension Writer {
    /// Writes what no other node gets.
    fileprivate func commitAlone(_ body: (WriteAccess) throws -> Void) throws {
        let committed = try commit([()], by: nil) { _, transaction -> (any Error)? in
            try body(transaction.access)
            return nil
        } refuse: {
            $0
        }
        if let error = committed.items[0].outcome { throw error }
    }
}
