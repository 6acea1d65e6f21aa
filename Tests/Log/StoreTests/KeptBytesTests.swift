import GRDB
import JSON
import Model
import Store
import StoreTestSupport
import TestSupport
import Testing
@testable import Log

/// Keys of writes and versions of documents are bounded by bytes.
struct KeptBytesTests {
    private static let reply = Array(String(repeating: "x", count: 100).utf8)

    private static func insert(_ keys: Range<Int>, of user: StreamID, in store: TestStore) throws {
        try store.write { transaction in
            for number in keys {
                try transaction.keys.insert(
                    "k\(number)", of: user, fingerprint: 1, reply: reply, at: Timestamp(milliseconds: 1))
            }
        }
    }

    private static func bytes(_ user: StreamID, _ store: TestStore) throws -> Int64 {
        try store.read { try $0.keys.bytes(of: user) }
    }

    @Test func `bytes of keys are added up in steps, and taken off when keys go`() throws {
        let store = try TestStore()
        try Self.insert(0..<10, of: StreamID(stored: 7), in: store)
        #expect(try Self.bytes(StreamID(stored: 7), store) == 0)
        #expect(try store.write { try $0.keys.countBytes(limit: 6) } == 6)
        #expect(try store.write { try $0.keys.countBytes(limit: 6) } == 4)
        #expect(try store.write { try $0.keys.countBytes(limit: 6) } == 0)
        #expect(try Self.bytes(StreamID(stored: 7), store) == 10 * (64 + 2 + 100))
        let deleted = try store.write {
            let now = Timestamp(milliseconds: 2)
            return try $0.keys.deleteOlder(than: KeptTimes(0, at: now, log: now), limit: 100, newest: 3)
        }
        #expect(deleted == 7)
        #expect(try Self.bytes(StreamID(stored: 7), store) == 3 * (64 + 2 + 100))
    }

    @Test func `keys that get the numbers of the newest ones, which went, are added up`() throws {
        let store = try TestStore()
        let (kept, gone) = (StreamID(stored: 7), StreamID(stored: 8))
        try Self.insert(0..<5, of: kept, in: store)
        try Self.insert(0..<10, of: gone, in: store)
        _ = try store.write { try $0.keys.countBytes(limit: 100) }
        let row: Int64 = 64 + 2 + 100
        // As an erasure does, and a bound that a user's newest keys are beyond.
        while try store.write({ try $0.keys.deleteBeyond(userBytesMax: 5 * row, bytesMax: 100 * row, limit: 1) }) > 0 {}
        try store.write { try $0.database.execute(sql: "DELETE FROM keys WHERE user = \(gone.value)") }
        try Self.insert(5..<10, of: kept, in: store)
        #expect(try store.write { try $0.keys.countBytes(limit: 100) } == 5)
        #expect(try Self.bytes(kept, store) == 10 * row)
        try store.write { try $0.database.execute(sql: "DELETE FROM keys") }
        #expect(try Self.bytes(kept, store) == 0)
        try Self.insert(0..<3, of: kept, in: store)
        #expect(try store.write { try $0.keys.countBytes(limit: 100) } == 3)
        #expect(try Self.bytes(kept, store) == 3 * row)
    }

    @Test func `the newest time of keys may be that of an older key, because clocks go back`() throws {
        let store = try TestStore()
        #expect(try store.read { try $0.keys.newestTime(among: 5) } == nil)
        for (number, at) in [50, 90, 10, 20].enumerated() {
            let at = Timestamp(milliseconds: Int64(at))
            try store.write {
                try $0.keys.insert("k\(number)", of: StreamID(stored: 7), fingerprint: 1, reply: Self.reply, at: at)
            }
        }
        #expect(try store.read { try $0.keys.newestTime(among: 5) }?.milliseconds == 90)
        #expect(try store.read { try $0.keys.newestTime(among: 2) }?.milliseconds == 20)
        #expect(try store.read { try $0.keys.newestTime() }?.milliseconds == 20)
    }

    @Test func `the oldest keys of a user beyond the bytes go, and nobody else's`() throws {
        let store = try TestStore()
        try Self.insert(0..<10, of: StreamID(stored: 7), in: store)
        try Self.insert(0..<90, of: StreamID(stored: 8), in: store)
        try Self.insert(10..<20, of: StreamID(stored: 7), in: store)
        _ = try store.write { try $0.keys.countBytes(limit: 1000) }
        let row: Int64 = 64 + 3 + 100
        var steps = 0
        while try store.write({
            try $0.keys.deleteBeyond(userBytesMax: 50 * row, bytesMax: 1000 * row, limit: 8)
        }) > 0 { steps += 1 }
        #expect(steps == 5)
        #expect(try store.read { try $0.keys.find("k39", of: StreamID(stored: 8)) } == nil)
        #expect(try store.read { try $0.keys.find("k89", of: StreamID(stored: 8))?.fingerprint } == 1)
        for number in 0..<20 {
            #expect(try store.read { try $0.keys.find("k\(number)", of: StreamID(stored: 7))?.fingerprint } == 1)
        }
        // Of all, the oldest go first.
        while try store.write({
            try $0.keys.deleteBeyond(userBytesMax: 50 * row, bytesMax: 55 * row, limit: 1)
        }) > 0 {}
        #expect(try store.read { try $0.keys.find("k0", of: StreamID(stored: 7)) } == nil)
        #expect(try store.read { try $0.keys.find("k19", of: StreamID(stored: 7))?.fingerprint } == 1)
    }

    /// Writes over a document, which puts aside a version of a size.
    private static func put(
        _ path: String, aside size: Int, by: String, _ bounds: HistoryBounds, in store: TestStore
    ) throws -> Position {
        try store.write { transaction in
            let position = try transaction.appendSilently()
            var history = transaction.history
            history.bounds = bounds
            try history.insert(
                DocumentPath(path), at: position, before: Array(repeating: UInt8(ascii: "x"), count: size),
                time: Timestamp(milliseconds: 1), by: by)
            return position
        }
    }

    @Test func `the oldest large versions of a document, of a user and of all go beyond their bytes`() throws {
        let store = try TestStore()
        var bounds = HistoryBounds()
        (bounds.path, bounds.user, bounds.all) = (10_000, 20_000, 50_000)
        func kept() throws -> Int64 { try store.read { try $0.history.keptBytes() } }
        let first = try Self.put("items/1", aside: 4_000, by: "admin a", bounds, in: store)
        let small = try Self.put("items/1", aside: 10, by: "admin a", bounds, in: store)
        let second = try Self.put("items/1", aside: 4_000, by: "admin a", bounds, in: store)
        #expect(try kept() == 8_000)
        let third = try Self.put("items/1", aside: 4_000, by: "admin a", bounds, in: store)
        #expect(try kept() == 8_000)
        #expect(try store.read { try $0.history.find(first) } == nil)
        for position in [small, second, third] { #expect(try store.read { try $0.history.find(position) } != nil) }
        // Eight documents of one user, 4,000 bytes each, of which five have room.
        for number in 0..<8 { _ = try Self.put("mine/\(number)", aside: 4_000, by: "user u", bounds, in: store) }
        #expect(try kept() == 8_000 + 20_000)
        for number in 0..<20 { _ = try Self.put("others/\(number)", aside: 4_000, by: "server", bounds, in: store) }
        #expect(try kept() == 48_000)
        #expect(try store.read { try $0.history.find(third) } == nil)
        try store.write { try $0.history.trim(upTo: $0.head) }
        #expect(try kept() == 0)
    }
}
