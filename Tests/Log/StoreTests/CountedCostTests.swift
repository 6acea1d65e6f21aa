import CSQLite
import GRDB
import Model
import StoreTestSupport
import TestSupport
import Testing
@testable import Log
@testable import Store

/// The cost of a query in steps of SQLite's virtual machine, which does not depend on a clock or on chance.
struct CountedCostTests {
    /// A user with this number of follows; twenty of the topics have brought something since the count was stored.
    private static func store(following count: Int) throws -> (store: TestStore, user: UserEntry) {
        let store = try TestStore()
        let alice = try store.user("alice")
        let streams = try store.write { transaction in
            try (0..<count).map { number in
                let stream = try transaction.streams.findOrMake(topic("t:\(number)"))
                try transaction.follows.insert(
                    follower: alice, stream: stream, since: transaction.appendSilently())
                return stream
            }
        }
        let user = try store.entry(alice)
        try store.write { transaction in
            try transaction.topicCounts.bringForward(user, at: transaction.head)
            for stream in streams.prefix(20) {
                let entry = notification(at: transaction.nextPosition, in: stream)
                _ = try transaction.notifications.insert(entry)
                try transaction.append(entry, payload: .same([]), isFollowed: true)
            }
        }
        return (store, user)
    }

    /// The steps of a count whose result must be twenty.
    private static func steps(_ store: TestStore, _ count: (Transaction) throws -> Int64) throws -> Int {
        try store.read { transaction in
            let counter = StepCounter()
            counter.begin(on: transaction.database)
            defer { counter.end(on: transaction.database) }
            let found = try count(transaction)
            #expect(found == 20)
            return counter.steps
        }
    }

    @Test func `a kept count does not visit each follow`() throws {
        let (few, user) = try Self.store(following: 100)
        let (many, other) = try Self.store(following: 4000)
        let fewSteps = try Self.steps(few) { try $0.topicCounts.unread(of: user) }
        let manySteps = try Self.steps(many) { try $0.topicCounts.unread(of: other) }
        #expect(fewSteps > 0)
        #expect(manySteps < 2 * fewSteps, "100 follows: \(fewSteps) steps, 4,000 follows: \(manySteps)")
        // The steps are counted correctly: visiting each follow takes some steps for each.
        let visiting = try Self.steps(many) { try $0.notifications.countUnreadTopics(of: other) }
        #expect(visiting > 4000)
    }
}

/// Counts the steps of a connection, ten at a time.
private final class StepCounter {
    private(set) var steps = 0

    func begin(on database: Database) {
        unsafe sqlite3_progress_handler(
            database.sqliteConnection, 10, countTenSteps, Unmanaged.passUnretained(self).toOpaque())
    }

    func end(on database: Database) {
        unsafe sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil)
    }

    fileprivate func addTen() { steps += 10 }
}

/// The callback.
private func countTenSteps(context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context = unsafe context else { return 1 }
    unsafe Unmanaged<StepCounter>.fromOpaque(context).takeUnretainedValue().addTen()
    return 0
}
