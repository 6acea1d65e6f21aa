import GRDB
import Model
import StoreTestSupport
import TestSupport
import Testing
@testable import Log
@testable import Store

struct WriterTests {
    private static let stream = StreamID(stored: 9)

    private static func append(_ transaction: WriteTransaction) throws -> Position {
        try transaction.append(event(transaction.nextPosition), to: stream)
    }

    @Test func `a failing item undoes itself alone, and its positions are given again`() throws {
        let store = try TestStore()
        let committed = try store.writer.commit(["a", "bad", "b"]) { item, transaction in
            let position = try Self.append(transaction)
            try transaction.keys.insert(
                item,
                of: StreamID(stored: 2),
                fingerprint: 0,
                reply: Array("{}".utf8),
                at: Timestamp(milliseconds: 0)
            )
            transaction.note(.language(user: StreamID(stored: 2), language: nil))
            if item == "bad" {
                _ = try Self.append(transaction)
                throw Failure()
            }
            return position.value
        } refuse: { error -> Int64 in
            error is Failure ? -1 : -2
        }
        #expect(committed.items.map(\.outcome) == [1, -1, 2])
        #expect(committed.items.map(\.stepCount) == [2, 2, 4])
        #expect(committed.steps.count == 4)
        #expect(committed.head == Position(2))
        #expect(store.writer.head == Position(2))
        let positions = committed.steps.compactMap { step in
            if case .publication(let publication) = step { publication.position } else { nil }
        }
        #expect(positions == [Position(1), Position(2)])
        let kept = try store.read { transaction in
            try ["a", "bad", "b"].map { try transaction.keys.find($0, of: StreamID(stored: 2)) != nil }
        }
        #expect(kept == [true, false, true])
        #expect(try store.read { try $0.log.count() } == 2)
    }

    @Test func `an empty commit and one of failures alone leave the head where it was`() throws {
        let store = try TestStore()
        let empty = try store.writer.commit([Int]()) { _, _ in
            0
        } refuse: { _ in
            1
        }
        #expect(empty.items.isEmpty)
        let failed = try store.writer.commit([1, 2]) { _, transaction in
            _ = try Self.append(transaction)
            throw Failure()
        } refuse: { _ in
            1
        }
        #expect(failed.items.map(\.outcome) == [1, 1])
        #expect(failed.steps.isEmpty)
        #expect(failed.head == .zero)
    }

    @Test func `an item that is refused before it writes costs no second run, and one that wrote costs one`() throws {
        let store = try TestStore()
        var runs: [Int] = []
        var reverted = 0
        func commit(_ items: [Int], failing: Int, afterWriting: Bool) throws -> [Int] {
            try store.writer.commit(items) { item, transaction in
                runs.append(item)
                if item == failing, !afterWriting { throw Failure() }
                _ = try Self.append(transaction)
                if item == failing { throw Failure() }
                return item
            } refuse: { _ in
                -1
            } revert: {
                reverted += 1
            }.items.map(\.outcome)
        }
        #expect(try commit([1, 2, 3], failing: 2, afterWriting: false) == [1, -1, 3])
        #expect(runs == [1, 2, 3])
        #expect(reverted == 0)
        #expect(try commit([4, 5, 6], failing: 5, afterWriting: true) == [4, -1, 6])
        #expect(runs == [1, 2, 3, 4, 5, 4, 5, 6])
        #expect(reverted == 1)
        #expect(store.writer.head == Position(4))
        #expect(try store.read { try $0.log.count() } == 4)
    }

    @Test func `savepoints nest: an inner failure leaves the outer's writes`() throws {
        func fail(in transaction: WriteTransaction, after body: () throws -> Void) throws {
            do {
                try transaction.savepoint {
                    try body()
                    throw Failure()
                }
            } catch is Failure {}
        }
        let store = try TestStore()
        let head = try store.write { transaction in
            _ = try Self.append(transaction)
            try fail(in: transaction) {
                _ = try Self.append(transaction)
                try transaction.savepoint { _ = try Self.append(transaction) }
            }
            #expect(transaction.head == Position(1))
            #expect(transaction.steps.count == 1)
            try transaction.savepoint {
                _ = try Self.append(transaction)
                try fail(in: transaction) { _ = try Self.append(transaction) }
            }
            return transaction.head
        }
        #expect(head == Position(2))
        #expect(try store.read { try $0.log.count() } == 2)
    }

    @Test(arguments: 1...10)
    func `random trees of savepoints leave what their surviving branches wrote`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try TestStore()
        var expected: [Int64] = []
        for _ in 1...30 {
            var written = expected
            let before = random
            let survives =
                (try? store.write { transaction -> Void in
                    // It runs again, in a savepoint, when it fails after it has written.
                    written = expected
                    random = before
                    try Self.grow(transaction, depth: 0, written: &written, &random)
                }) != nil
            if survives { expected = written }
            #expect(store.writer.head.value == Int64(expected.count))
        }
        let marks = try store.read {
            try Int64.fetchAll($0.database, sql: "SELECT stream FROM changes ORDER BY seq")
        }
        #expect(marks == expected)
    }

    /// Writes marks in a random tree of savepoints, and fails at random.
    private static func grow(
        _ transaction: WriteTransaction,
        depth: Int,
        written: inout [Int64],
        _ random: inout SeededRandom
    ) throws {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let mark = Int64.random(in: 100...999, using: &random)
            try transaction.append(event(transaction.nextPosition), to: StreamID(stored: mark))
            written.append(mark)
            guard depth < 3, Bool.random(using: &random) else { continue }
            var inner = written
            do {
                try transaction.savepoint { try grow(transaction, depth: depth + 1, written: &inner, &random) }
                written = inner
            } catch is Failure {}
        }
        if Int.random(in: 0..<4, using: &random) == 0 { throw Failure() }
    }

    @Test func `a full disk fails the whole commit, and the writer goes on afterwards`() throws {
        let store = try TestStore()
        try store.write { _ = try Self.append($0) }
        try store.setPagesMax(store.pageCount() + 4)
        let large = Array(repeating: UInt8(ascii: "x"), count: 200_000)
        var outcomes: [Int]?
        do {
            outcomes = try store.writer.commit([0, 1, 2]) { item, transaction in
                try transaction.append(item == 1 ? large : event(transaction.nextPosition), to: Self.stream)
                return item
            } refuse: { _ in
                -1
            }.items.map(\.outcome)
        } catch is DatabaseError {}
        // SQLite undid the one item, or everything: never only a part of it.
        let count = try store.read { try $0.log.count() }
        #expect(outcomes == nil ? count == 1 : outcomes == [0, -1, 2] && count == 3)
        #expect(try store.read { try $0.log.head() } == store.writer.head)
        try store.setPagesMax(1_000_000)
        #expect(try store.write { try Self.append($0) } == Position(count + 1))
    }

    @Test func `when SQLite rolls back under an item, the whole commit fails and nothing of it is kept`() throws {
        let store = try TestStore()
        #expect(throws: (any Error).self) {
            _ = try store.writer.commit([0, 1, 2]) { item, transaction in
                _ = try Self.append(transaction)
                if item == 1 {
                    try transaction.database.execute(sql: "ROLLBACK")
                    throw Failure()
                }
            } refuse: { _ in
            }
        }
        #expect(try store.read { try $0.log.count() } == 0)
        #expect(store.writer.head == .zero)
        #expect(try store.write { try Self.append($0) } == Position(1))
    }

    @Test func `steps say what sessions are to hear, in the order written`() throws {
        let store = try TestStore()
        let committed = try store.writer.commit([()]) { _, transaction in
            try transaction.append(event(transaction.nextPosition), to: StreamID(stored: 2), and: StreamID(stored: 3))
            transaction.note(.subscription(user: StreamID(stored: 2), stream: Self.stream, isOn: true))
            let entry = notification(at: transaction.nextPosition, in: Self.stream)
            _ = try transaction.notifications.insert(entry)
            try transaction.append(entry, payload: .same([1]), isFollowed: true)
            try transaction.append(
                event(transaction.nextPosition),
                to: Self.stream,
                isFollowed: true,
                recountsUnread: true
            )
            _ = try transaction.appendSilently()
        } refuse: { _ in
        }
        let heard = committed.steps.map { step in
            switch step {
            case .change: "change"
            case .publication(let publication):
                "\(publication.position) \(publication.stream.value) \(publication.secondStream?.value ?? 0) "
                    + "\(publication.unread)"
            }
        }
        #expect(heard == ["1 2 3 unchanged", "change", "2 9 0 oneMore", "3 9 0 recount"])
        #expect(committed.head == Position(4))
    }
}

extension TestStore {
    func pageCount() throws -> Int {
        try read { try Int.fetchOne($0.database, sql: "PRAGMA page_count") ?? 0 }
    }

    /// Limits the size of the file.
    func setPagesMax(_ pages: Int) throws {
        try read { _ = try Int.fetchOne($0.database, sql: "PRAGMA max_page_count = \(pages)") }
    }
}
