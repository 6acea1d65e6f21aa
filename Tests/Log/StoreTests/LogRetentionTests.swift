import GRDB
import Model
import Store
import StoreTestSupport
import TestSupport
import Testing

struct LogRetentionTests {
    private static func remove(_ positions: Int64..., in store: TestStore) throws {
        try store.write { transaction in
            for position in positions {
                try transaction.notifications.remove(Position(position), reason: "expired", at: Position(position))
            }
        }
    }

    /// Notifications to everyone at the first positions, each of a broadcast of its own when that is wanted.
    private static func notify(_ count: Int64, areBroadcasts: Bool = false, in store: TestStore) throws {
        try store.write { transaction in
            for number in 1...count {
                let plain = notification(at: transaction.nextPosition, in: .everyone)
                var entry = NotificationEntry(
                    position: plain.position,
                    stream: plain.stream,
                    topic: "everyone",
                    kind: "test",
                    level: .active,
                    texts: "{}",
                    data: "{}",
                    at: plain.at,
                    expires: nil,
                    collapse: nil
                )
                entry.broadcast = areBroadcasts ? number : nil
                _ = try transaction.notifications.insert(entry)
                let position = try transaction.append(entry, payload: .same([]), isFollowed: true)
                guard areBroadcasts else { continue }
                try transaction.broadcasts.insert(
                    id: number,
                    position: position,
                    audience: "everyone",
                    size: 1,
                    at: plain.at,
                    due: plain.at,
                    wanted: "{}"
                )
                try transaction.broadcasts.note(number, positions: [position], size: 1, sent: plain.at, due: nil)
            }
        }
    }

    @Test func `the log begins after the trimmed part, and its head stays`() throws {
        let store = try TestStore()
        try store.write { transaction in for _ in 1...10 { _ = try transaction.appendSilently() } }
        #expect(try store.write { try $0.retention.trim(upTo: Position(4)) } == 4)
        #expect(try store.read { try $0.retention.from() } == Position(4))
        #expect(try store.read { try $0.log.count() } == 6)
        #expect(try store.write { try $0.retention.trim(upTo: Position(4)) } == 0)
        #expect(try store.read { try $0.log.head() } == Position(10))
    }

    @Test func `a mark says how old a position is, and goes with it`() throws {
        let store = try TestStore()
        let marks = [(3, 100), (5, 200), (9, 300)].map {
            LogMark(head: Position($0.0), at: Timestamp(milliseconds: $0.1))
        }
        try store.write { transaction in for mark in marks { try transaction.retention.insert(mark) } }
        func newest(notAfter time: Int64) throws -> LogMark? {
            let now = Timestamp(milliseconds: 1000)
            return try store.read { try $0.retention.newestMark(before: KeptTimes(1000 - time, at: now, log: now)) }
        }
        #expect(try newest(notAfter: 99) == nil)
        #expect(try newest(notAfter: 299) == marks[1])
        #expect(try store.read { try $0.retention.newestMark() } == marks[2])
        _ = try store.write { try $0.retention.trim(upTo: Position(5)) }
        #expect(try newest(notAfter: 299) == nil)
        #expect(try newest(notAfter: 300) == marks[2])
    }

    @Test func `marks whose times do not ascend make nothing old that is young`() throws {
        let day: Int64 = 86_400_000
        let now = Timestamp(milliseconds: 100 * day)
        func goal(_ times: [Int64], log: Int64 = 100) throws -> Int64? {
            let store = try TestStore()
            try store.write { transaction in
                for (number, time) in times.enumerated() {
                    let mark = LogMark(
                        head: Position(Int64(number + 1)), at: Timestamp(milliseconds: time * day))
                    try transaction.retention.insert(mark)
                }
            }
            let kept = KeptTimes(30 * day, at: now, log: Timestamp(milliseconds: log * day))
            return try store.read { try $0.retention.newestMark(before: kept)?.head.value }
        }
        #expect(try goal([60, 65, 99]) == 2)
        #expect(try goal([99, 60, 99]) == nil, "one clock was forty days behind")
        #expect(try goal([50, 99, 60, 99]) == 1)
        #expect(try goal([7000, 99], log: 7000) == nil, "a mark of a clock that was ahead is young by the log's clock")
        #expect(try goal([7000, 60, 99], log: 7030) == 2, "and old when the server has run for thirty days since")
    }

    @Test func `notifications that were taken away are deleted up to their marks, and the others stay`() throws {
        let store = try TestStore()
        try Self.notify(4, in: store)
        try store.write { transaction in
            for user: Int64 in 10..<17 {
                try transaction.notifications.setSeen(Position(2), by: StreamID(stored: user))
            }
        }
        try Self.remove(2, 3, in: store)
        func step(_ limit: Int, upTo position: Int64 = 3) throws -> Int {
            try store.write { try $0.retention.deleteRemovedNotifications(upTo: Position(position), limit: limit) }
        }
        func left() throws -> [Int64] {
            try store.read { transaction in
                (1...4).filter { (try? transaction.log.entry(at: Position($0))) != nil }
            }
        }
        #expect(try step(5, upTo: 1) == 0)
        #expect(try step(5) == 5)
        #expect(try left() == [1, 2, 3, 4], "seven marks do not go in one step of five")
        #expect(try step(5) == 4)
        #expect(try left() == [1, 4])
        #expect(try step(5) == 0)
    }

    @Test func `the record of a trigger's notification across topics goes with the notification`() throws {
        let store = try TestStore()
        try store.write { transaction in
            for collapse in ["film:603", "film:604"] {
                var entry = NotificationEntry(
                    position: transaction.nextPosition, stream: StreamID(stored: 7), topic: "person:1", kind: "test",
                    level: .active, texts: "{}", data: "{}", at: Timestamp(milliseconds: 1), expires: nil,
                    collapse: collapse)
                entry.trigger = "release"
                entry.change = transaction.nextPosition
                entry.isAcrossTopics = true
                #expect(try transaction.notifications.insert(entry))
                _ = try transaction.append(entry, payload: .same([]), isFollowed: true)
            }
        }
        try Self.remove(2, in: store)
        #expect(try store.write { try $0.retention.deleteRemovedNotifications(upTo: Position(2), limit: 9) } == 1)
        let database = try DatabaseQueue(path: store.folder.path + "/watchwise.db")
        let kept = try database.read { try String.fetchAll($0, sql: "SELECT collapse FROM told_across") }
        #expect(kept == ["film:603"])
        #expect(try store.read { try $0.notifications.live(acrossTopics: "release", collapse: "film:603") }.count == 1)
        #expect(try store.read { try $0.notifications.live(acrossTopics: "release", collapse: "film:604") }.isEmpty)
    }

    @Test func `a broadcast goes with its notification, but for the newest: the next number follows from it`() throws {
        let store = try TestStore()
        try Self.notify(3, areBroadcasts: true, in: store)
        try Self.remove(2, 3, in: store)
        for _ in 1...2 {
            _ = try store.write { try $0.retention.deleteRemovedNotifications(upTo: Position(3), limit: 9) }
        }
        let left = try store.read { transaction in try (1...3).filter { try transaction.broadcasts.find($0) != nil } }
        #expect(left == [1, 3])
        #expect(try store.read { try $0.broadcasts.nextID() } == 4)
    }

    @Test func `a broadcast without a notification goes with the position of its write, if nothing of it waits`() throws
    {
        let store = try TestStore()
        try store.write { transaction in
            for (id, audience) in [(1, "online"), (2, "everyone"), (3, "everyone"), (4, "online"), (5, "online")] {
                try transaction.broadcasts.insert(
                    id: Int64(id), position: transaction.appendSilently(), audience: audience, size: 0,
                    at: Timestamp(milliseconds: 1),
                    due: Timestamp(milliseconds: 9), wanted: "{}")
            }
            for id in [1, 4, 5] {
                try transaction.broadcasts.note(
                    Int64(id), positions: [], size: 0, sent: Timestamp(milliseconds: 1), due: nil)
            }
            try transaction.broadcasts.cancel(2, at: Timestamp(milliseconds: 2))
        }
        #expect(try store.write { try $0.retention.deleteUnwrittenBroadcasts(upTo: Position(3), limit: 9) } == 2)
        let left = try store.read { try $0.broadcasts.page(nil, before: .max, limit: 9).map(\.id) }
        #expect(left == [5, 4, 3])
        #expect(try store.write { try $0.retention.deleteUnwrittenBroadcasts(upTo: Position(5), limit: 9) } == 1)
    }
}
