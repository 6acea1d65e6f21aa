import GRDB
import Model
import StoreTestSupport
import TestSupport
import Testing
@testable import Log
@testable import Store

/// The queries of a resume use indexes, whatever is stored.
struct ResumePlanTests {
    /// The statements that `body` runs.
    private static func statements(
        in transaction: Transaction,
        _ body: () throws -> Void
    ) throws -> [String] {
        var found: [String] = []
        transaction.database.trace { event in
            if case .statement(let statement) = event { found.append(statement.expandedSQL) }
        }
        defer { transaction.database.trace(options: []) }
        try body()
        return found
    }

    @Test func `no step of a resume, nor of a trim, scans a table`() throws {
        let store = try TestStore()
        let user = try store.user("alice")
        try store.write { transaction in
            for number in 1...3 {
                let stream = try transaction.streams.findOrMake(try topic("person:\(number)"))
                try transaction.follows.insert(follower: user, stream: stream, since: transaction.appendSilently())
                let entry = notification(at: transaction.nextPosition, in: stream)
                _ = try transaction.notifications.insert(entry)
                try transaction.append(entry, payload: .same([]), isFollowed: true)
                if number == 1 {
                    try transaction.follows.end(follower: user, stream: stream, at: transaction.appendSilently())
                }
            }
            try transaction.notifications.remove(Position(2), reason: "expired", at: Position(2))
            try transaction.notifications.setSeen(Position(2), by: user)
        }
        let alice = try store.entry(user)
        let statements = try store.write { transaction in
            try Self.statements(in: transaction.reading) {
                _ = try transaction.retention.from()
                _ = try transaction.log.head()
                let positions = try transaction.log.positions(of: alice, after: .zero, limit: 200)
                #expect(positions.count == 3)
                for position in positions { _ = try transaction.log.entry(at: position) }
                #expect(try !transaction.log.isMore(than: 3, of: alice, after: .zero))
                #expect(try transaction.log.isMore(than: 2, of: alice, after: .zero))
                _ = try transaction.retention.trim(upTo: Position(5))
                _ = try transaction.retention.deleteRemovedNotifications(upTo: Position(5), limit: 10)
            }
        }
        #expect(statements.count > 15)
        try store.read { transaction in
            for sql in Set(statements) {
                let plan = try Row.fetchAll(transaction.database, sql: "EXPLAIN QUERY PLAN " + sql)
                    .map { $0["detail"] as String }
                // The few rows of a subquery, and the marks, of which there are hundreds, are not tables that grow.
                let scans = plan.filter {
                    $0.hasPrefix("SCAN") && !$0.contains("(subquery") && $0 != "SCAN CONSTANT ROW"
                }
                #expect(scans.isEmpty, "\(sql)")
            }
        }
    }

    @Test(arguments: [0, 1, 4999, 5000, 5001])
    func `whether more is missing than the limit is known to the entry, over many topics`(count: Int) throws {
        let store = try TestStore()
        let user = try store.user("alice")
        let streams = try store.write { transaction in
            try (0..<4).map { number in
                let stream = try transaction.streams.findOrMake(try topic("person:\(number)"))
                try transaction.follows.insert(follower: user, stream: stream, since: transaction.head)
                return stream
            }
        }
        try store.write { transaction in
            for number in 0..<count {
                let stream = number % 6 < 4 ? streams[number % 6] : number % 6 == 4 ? user : .everyone
                try transaction.append(event(transaction.nextPosition), to: stream, isFollowed: stream != user)
            }
            try transaction.follows.end(follower: user, stream: streams[0], at: transaction.appendSilently())
        }
        let alice = try store.entry(user)
        #expect(try store.read { try $0.log.isMore(than: 5000, of: alice, after: .zero) } == (count > 5000))
    }
}
