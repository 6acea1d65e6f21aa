import GRDB
import Log
import Model
import Store
import StoreTestSupport
import Testing

@testable import PersonalData

/// Rows that go with time, as their tables declare.
struct SweptRowsTests {
    @Test func `ended follows and failures go with the entries they belong to`() throws {
        let store = try TestStore()
        let user = try store.user("alice")
        try store.write { transaction in
            for number in 1...4 {
                let stream = try transaction.streams.findOrMake(try topic("person:\(number)"))
                let since = try transaction.appendSilently()
                try transaction.follows.insert(follower: user, stream: stream, since: since)
                try transaction.follows.end(follower: user, stream: stream, at: transaction.appendSilently())
                try transaction.triggers.insertDead(
                    trigger: "t",
                    path: "a/b",
                    change: transaction.head,
                    reason: "no",
                    at: Timestamp(milliseconds: 1)
                )
            }
        }
        let pastFollows = try #require(SweptRows.all.first { $0.table == .pastFollows })
        func follows(_ limit: Int) throws -> Int {
            try store.write { try $0.sweep(pastFollows, upTo: 6, limit: limit) }
        }
        func dead(_ limit: Int) throws -> Int {
            try store.write { try $0.retention.deleteDead(upTo: Position(6), limit: limit) }
        }
        #expect(try [follows(2), follows(2), follows(2)] == [2, 1, 0])
        #expect(try [dead(2), dead(2), dead(2)] == [2, 1, 0])
        #expect(try store.read { try $0.triggers.countDead() } == 1)
    }

    @Test func `revocations go when they are over, the oldest first`() throws {
        let store = try TestStore()
        let now = Timestamp(milliseconds: 1_795_000_000_000)
        for (number, milliseconds) in ([1000, 5000, 5000] as [Int64]).enumerated() {
            let revocation = Revocation(.token("t\(number)"), until: now.adding(milliseconds: milliseconds))
            _ = try store.write { try $0.revocations.put(revocation, at: now, by: "operator", reason: nil) }
        }
        let rows = try #require(SweptRows.all.first { $0.table == .revocations })
        func swept(_ milliseconds: Int64) throws -> Int {
            try store.write { try $0.sweep(rows, upTo: now.milliseconds + milliseconds, limit: 1) }
        }
        #expect(try [swept(999), swept(1000), swept(1000)] == [0, 1, 0])
        #expect(try store.read { try $0.revocations.all() }.count == 2)
        #expect(try [swept(5000), swept(5000), swept(5000)] == [1, 1, 0])
    }

    @Test func `no sweep scans a table`() throws {
        let store = try TestStore()
        #expect(SweptRows.all.count > 8)
        try store.read { transaction in
            for rows in SweptRows.all {
                let plan = try Row.fetchAll(
                    transaction.access.database, sql: "EXPLAIN QUERY PLAN " + rows.sql, arguments: [5, 10])
                let scans = plan.map { $0["detail"] as String }.filter {
                    $0.hasPrefix("SCAN") && !$0.contains("(subquery")
                }
                #expect(!plan.isEmpty && scans.isEmpty, "\(rows.sql): \(scans)")
            }
        }
    }
}
