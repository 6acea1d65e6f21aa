import Foundation
import GRDB
import JSON
import TestMarks
import TestSupport
import Testing

@testable import Session
@testable import WatchWise

/// Lists of many rows, and windows of them.
@Suite(.serialized, .timeLimit(.minutes(20))) @WatchWiseActor
struct LongListTests {
    static let chat = "alice:bob"
    static let collection = "users/alice/tasks"
    let folder = TemporaryFolder()

    static func message(_ n: Int, _ text: String = "hello, this is a message") -> JSONObject {
        let row: JSONObject = [
            "chat": .string(chat), "n": .integer(Int64(n)), "seq": .integer(Int64(n)), "text": .string(text), "rev": 1,
            "from": n % 2 == 0 ? "bob" : "alice", "at": "2026-11-21T10:00:00.123Z",
        ]
        return n % 2 == 0 ? row : row.with(["key": .string("key\(n)")])
    }

    /// A library without a connection, with a chat of this number of messages.
    static func filled(_ count: Int, _ store: StoreLocation = .memory) throws -> WatchWise {
        let ww = try ListTests.open(store)
        for start in stride(from: 1, through: count, by: 500) {
            try ww.device.store.write { writer in
                for n in start...min(start + 499, count) { try writer.apply(.put(.messages, message(n))) }
            }
        }
        try ww.device.store.write { writer in
            try writer.apply(
                .put(
                    .chats,
                    [
                        "chat": .string(chat), "with": "bob", "top": .integer(Int64(count)), "gaps": [],
                        "seq": .integer(Int64(count)),
                    ]))
        }
        return ww
    }

    /// An event of the server.
    static func receive(_ event: JSONObject, _ type: String, in ww: WatchWise) {
        ww.device.engine?.push(.event(.object(event.with(["type": .string(type)]))))
        ww.device.engine?.flush()
    }

    /// A reader of a list, with what it got last.
    @WatchWiseActor
    struct Reader<Item: Sendable & Hashable> {
        private var iterator: Snapshots<Item>.Iterator
        private(set) var last: Snapshot<Item>?

        init(_ snapshots: Snapshots<Item>) { iterator = snapshots.makeAsyncIterator() }

        /// The next snapshot.
        mutating func next() async throws -> Snapshot<Item> {
            var reading = iterator
            let snapshot = try #require(await reading.next())
            (iterator, last) = (reading, snapshot)
            return snapshot
        }

        mutating func next(where fits: (Snapshot<Item>) -> Bool) async throws -> Snapshot<Item> {
            while true {
                let snapshot = try await next()
                if fits(snapshot) { return snapshot }
            }
        }
    }

    @Test func `one message more reads its row, and no other`() async throws {
        let ww = try Self.filled(2000)
        var list = Reader(ww.chat(Self.chat).snapshots(limit: .max))
        #expect(try await list.next().items.count == 2000)
        // A row that nobody says anything of: who reads all rows sees it.
        let tell = ww.device.store.onChange
        ww.device.store.onChange = { _ in }
        try ww.device.store.write { try $0.apply(.put(.messages, Self.message(5, "in silence"))) }
        ww.device.store.onChange = tell
        Self.receive(Self.message(2001), "message", in: ww)
        let more = try await list.next()
        #expect(more.items.count == 2001)
        #expect(more.changes == [.add(more.items[2000], at: 2000)])
        #expect(more.items[4].text == "hello, this is a message")
        // A reaction to an old one beside a new one.
        let reaction: JSONObject = [
            "seq": 200_000, "chat": .string(Self.chat), "n": 7, "emoji": "👍", "on": true, "user": "bob", "count": 1,
        ]
        ww.device.engine?.push(.event(.object(reaction.with(["type": "reaction"]))))
        Self.receive(Self.message(2002), "message", in: ww)
        let both = try await list.next()
        #expect(Set(both.changes) == [.change(both.items[6], at: 6), .add(both.items[2001], at: 2001)])
        // A write that waits touches what it is about.
        try ww.chat(Self.chat).edit(9, "other words")
        let edited = try await list.next()
        #expect(edited.changes == [.change(edited.items[8], at: 8)])
        #expect(edited.items[8].text == "other words" && edited.items[4].text == "hello, this is a message")
    }

    @Test func `a window shows more when it is asked for, and says when there is no more`() async throws {
        let ww = try Self.filled(120)
        let messages = ww.chat(Self.chat).snapshots(limit: 50)
        var list = Reader(messages)
        let first = try await list.next()
        #expect(first.items.first?.n == 71 && first.items.count == 50 && first.hasMore)
        messages.more(50)
        let second = try await list.next()
        #expect(second.items.first?.n == 21 && second.items.count == 100 && second.hasMore)
        #expect(second.changes.count == 50)
        messages.more()
        let third = try await list.next()
        #expect(third.items.first?.n == 1 && third.items.count == 120 && !third.hasMore)
        // A later reader sees as many.
        var other = Reader(messages)
        #expect(try await other.next().items.count == 120)
    }

    @Test func `every list that can be long has a window`() async throws {
        let ww = try Self.filled(1)
        try ww.device.store.write { writer in
            for n in 1...9 {
                let name = "\(n)"
                let seq = JSONValue.integer(Int64(n))
                try writer.apply(.put(.topics, ["topic": .string("person:" + name)]))
                let path = Self.collection + "/" + name
                try writer.apply(
                    .put(.documents, Mirror.documentRow(["path": .string(path), "version": 1, "seq": 1, "data": [:]])))
                try writer.apply(.put(.inbox, ["id": .string("n" + name), "seq": seq, "seen": false]))
                try writer.apply(.put(.chats, ["chat": .string("room:" + name), "seq": .integer(Int64(n + 10))]))
            }
        }
        try await Self.checkWindow(of: ww.topics.snapshots(limit: 3))
        try await Self.checkWindow(of: ww.collection(Self.collection, as: AnyJSON.self).snapshots(limit: 3))
        try await Self.checkWindow(of: ww.inbox.snapshots(limit: 3))
        try await Self.checkWindow(of: ww.chats.snapshots(limit: 3))
    }

    private static func checkWindow<Item>(of snapshots: Snapshots<Item>) async throws {
        var list = Reader(snapshots)
        let first = try await list.next()
        #expect(first.items.count == 3 && first.hasMore, "\(Item.self)")
        snapshots.more(2)
        let second = try await list.next()
        #expect(second.items.prefix(3).elementsEqual(first.items) && second.items.count == 5, "\(Item.self)")
        snapshots.more(100)
        let third = try await list.next()
        #expect(third.items.count >= 9 && !third.hasMore, "\(Item.self)")
    }

    @Test func `a row that goes makes room for the next one of the store, whatever else came with it`() async throws {
        let ww = try Self.filled(1)
        try ww.device.store.write { writer in
            for n in 1...5 { try writer.apply(.put(.topics, ["topic": .string("person:\(n)")])) }
        }
        var list = Reader(ww.topics.snapshots(limit: 3))
        _ = try await list.next()
        for (seq, (type, n)) in [("followed", 9), ("unfollowed", 1), ("followed", 8)].enumerated() {
            let topic = JSONValue.string("person:\(n)")
            let event: JSONObject = ["type": .string(type), "seq": .integer(Int64(seq)), "topic": topic]
            ww.device.engine?.push(.event(.object(event)))
        }
        ww.device.engine?.flush()
        let next = try await list.next()
        #expect(next.items.map(\.topic) == ["person:2", "person:3", "person:4"] && next.hasMore)
    }

    @Test func `changes that come together are shown together: at once, then once for a frame`() async throws {
        let ww = try Self.filled(3)
        var list = Reader(ww.chat(Self.chat).snapshots())
        _ = try await list.next()
        try await Task.sleep(for: .milliseconds(40))
        let clock = ContinuousClock()
        let began = clock.now
        let writing = Task {
            for count in 1...200 {
                try ww.chat(Self.chat).send("\(count)")
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        var told = 0
        repeat { told += 1 } while try await list.next().items.count < 203
        let frames = (clock.now - began) / LiveList.frame
        #expect(Double(told) <= frames + 2, "\(told) times in \(frames) frames")
        #expect(told < 150)
        try await writing.value
    }

    @Test func `another process reads the rows that were noted, and all where none are`() async throws {
        let path = folder.path + "/alice.sqlite"
        let leader = try Self.filled(300, .file(path))
        let follower = try ListTests.open(.file(path))
        var list = Reader(follower.chat(Self.chat).snapshots(limit: .max))
        #expect(try await list.next().items.count == 300)
        let stranger = try DatabaseQueue(path: path)
        let write = { (n: Int, text: String, isNoted: Bool) in
            try stranger.write { database in
                try database.execute(
                    sql: "UPDATE messages SET row=? WHERE n=?",
                    arguments: [JSONValue.object(Self.message(n, text)).text, n])
                if isNoted { try database.execute(sql: "INSERT INTO changed (writer, names) VALUES (1, '{}')") }
            }
        }
        try write(4, "in silence", true)
        Self.receive(Self.message(301), "message", in: leader)
        follower.network(isOnline: true)
        let more = try await list.next()
        #expect(more.changes == [.add(more.items[300], at: 300)])
        // A process with an earlier version of the library.
        try write(6, "other words", false)
        follower.network(isOnline: true)
        let all = try await list.next()
        #expect(Set(all.changes) == [.change(all.items[3], at: 3), .change(all.items[5], at: 5)])
        // More than the store remembers.
        for n in 302...1400 { Self.receive(Self.message(n), "message", in: leader) }
        follower.network(isOnline: true)
        #expect(try await list.next().items.count == 1400)
    }

    @Test func `the store goes back a thousand transactions, and no further`() throws {
        let path = folder.path + "/bounded.sqlite"
        let ww = try Self.filled(1, .file(path))
        for n in 2...1500 { Self.receive(Self.message(n), "message", in: ww) }
        let stranger = try DatabaseQueue(path: path)
        let count = try stranger.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM changed") }
        #expect(count == 1000)
    }

    /// Beside other tests both wait for their turn: so the long one is held against a short one.
    @Test(.timed) func `one message more in a list of 100,000 costs as little as in a list of 1,000`() async throws {
        var lists: [(count: Int, ww: WatchWise, list: Reader<Message>)] = []
        for count in [1000, 100_000] {
            let ww = try Self.filled(count, .file(folder.path + "/\(count).sqlite"))
            var list = Reader(ww.chat(Self.chat).snapshots(limit: .max))
            try #require(try await list.next().items.count == count)
            lists.append((count, ww, list))
        }
        let clock = ContinuousClock()
        var lasted: [[Duration]] = [[], []]
        for more in 1...31 {
            for place in lists.indices {
                try await Task.sleep(for: .milliseconds(20))
                let began = clock.now
                let n = lists[place].count + more
                Self.receive(Self.message(n), "message", in: lists[place].ww)
                try #require(try await lists[place].list.next().items.count == n)
                lasted[place].append(clock.now - began)
            }
        }
        let (short, long) = (lasted[0].sorted()[15], lasted[1].sorted()[15])
        print("FIGURE one message more in a list of 1,000: median of 31 \(short); of 100,000: \(long)")
        #expect(long < short * 3 + .milliseconds(5), "\(short), \(long)")
    }

    /// In a process of its own: what other tests have used and left hides what a list needs.
    @Test(.timed) func `a list of 100,000 messages with a window of 50 needs the memory of 50`() async throws {
        let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let each = try await LongListTests.kibibytesOfWindow()
            print("FIGURE memory of a list of 100,000 messages with a window of 50: \(each) KiB")
            precondition(each < 400)
        }
        print(String(decoding: ended?.standardOutputContent ?? [], as: UTF8.self))
    }

    /// The memory of a list: that of 500, divided.
    private static func kibibytesOfWindow() async throws -> Int {
        let folder = TemporaryFolder()
        let ww = try filled(100_000, .file(folder.path + "/memory.sqlite"))
        var lists: [Reader<Message>] = []
        var before = 0
        // The first one loads code.
        for count in [1, 500] {
            before = try ResidentMemory.bytes()
            for _ in 1...count {
                var list = Reader(ww.chat(chat).snapshots(limit: 50))
                try #require(try await list.next().items.count == 50)
                lists.append(list)
            }
        }
        return try withExtendedLifetime(lists) { (try ResidentMemory.bytes() - before) / 500 / 1024 }
    }
}
