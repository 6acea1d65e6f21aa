import Model
import Store
import StoreTestSupport
import TestSupport
import Testing

private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

struct DocumentTableTests {
    private static func put(
        _ path: String,
        version: Int64,
        body: String?,
        in transaction: WriteTransaction
    ) throws {
        let bytes = body.map { Array($0.utf8) }
        try transaction.documents.put(try DocumentPath(path), version: version, at: Position(version), body: bytes)
    }

    @Test func `a deleted document keeps its version and is in no list`() throws {
        let store = try TestStore()
        let path = try DocumentPath("products/movie/603")
        try store.write { transaction in
            try Self.put(path.text, version: 1, body: "{}", in: transaction)
            try Self.put(path.text, version: 2, body: nil, in: transaction)
        }
        let (found, page, count) = try store.read {
            (
                try $0.documents.find(path), try $0.documents.page(of: "products", after: "", limit: 10),
                try $0.documents.count()
            )
        }
        #expect(found?.version == 2)
        #expect(found?.body == nil)
        #expect(page.isEmpty)
        #expect(count == 0)
        try store.write { try Self.put(path.text, version: 3, body: "{\"a\":1}", in: $0) }
        let again = try store.read { try $0.documents.find(path) }
        #expect(again?.version == 3)
        #expect(again?.body == "{\"a\":1}")
    }

    @Test func `pages of a collection come in the order of ids and end`() throws {
        let store = try TestStore()
        try store.write { transaction in
            for id in ["b", "a", "d", "c", "movie/2"] {
                try Self.put("items/\(id)", version: 1, body: "{}", in: transaction)
            }
            try Self.put("items/a/parts/x", version: 1, body: "{}", in: transaction)
            try Self.put("other/a", version: 1, body: "{}", in: transaction)
        }
        var ids: [String] = []
        while let entry = try store.read({
            try $0.documents.page(of: "items", after: ids.last ?? "", limit: 1).first
        }) {
            ids.append(entry.path.id)
        }
        #expect(ids == ["a", "b", "c", "d", "movie/2"])
        #expect(try store.read { try $0.documents.page(of: "items/a/parts", after: "", limit: 5) }.count == 1)
        #expect(try store.read { try $0.documents.count() } == 7)
    }
}

struct KeyTableTests {
    /// Deletes entries that are not younger than a time; it is 1000 now.
    private static func before(_ milliseconds: Int64) -> KeptTimes {
        KeptTimes(1001 - milliseconds, at: time(1000), log: time(1000), boundMilliseconds: 1000)
    }

    /// Inserts keys `k0`, `k1` … with these times, in this order; returns the remaining ones.
    private static func left(
        of times: [Int64], after kept: KeptTimes, limit: Int, steps: Int = 1
    ) throws -> [Int] {
        let store = try TestStore()
        try store.write { transaction in
            for (number, at) in times.enumerated() {
                try transaction.keys.insert(
                    "k\(number)", of: StreamID(stored: 2), fingerprint: 0, reply: Array("r".utf8), at: time(at))
            }
        }
        for _ in 0..<steps { try store.write { try $0.keys.deleteOlder(than: kept, limit: limit, newest: 0) } }
        return try store.read { transaction in
            try times.indices.filter { try transaction.keys.find("k\($0)", of: StreamID(stored: 2)) != nil }
        }
    }

    @Test func `keys dated far ahead do not stop the forgetting of others`() throws {
        let times: [Int64] = [1, 9_000_000, 9_000_001, 2, 3, 999]
        #expect(try Self.left(of: times, after: Self.before(500), limit: 2, steps: 3) == [5])
    }

    @Test func `a key before a young one is young, whatever its clock said`() throws {
        #expect(try Self.left(of: [1, 900, 2, 901], after: Self.before(500), limit: 10) == [1, 2, 3])
    }

    @Test func `keys are each user's own, and the old ones are forgotten a few at a time`() throws {
        let store = try TestStore()
        try store.write { transaction in
            for age in 1...6 {
                try transaction.keys.insert(
                    "k\(age)",
                    of: StreamID(stored: 2),
                    fingerprint: Int64(age),
                    reply: Array("r\(age)".utf8),
                    at: time(Int64(age))
                )
            }
        }
        let entry = try store.read { try $0.keys.find("k3", of: StreamID(stored: 2)) }
        #expect(entry?.fingerprint == 3)
        #expect(entry?.reply == "r3")
        #expect(try store.read { try $0.keys.find("k3", of: StreamID(stored: 3)) } == nil)
        try store.write { try $0.keys.deleteOlder(than: Self.before(5), limit: 2, newest: 0) }
        func left() throws -> [Int] {
            try store.read { transaction in
                try (1...6).filter { try transaction.keys.find("k\($0)", of: StreamID(stored: 2)) != nil }
            }
        }
        #expect(try left() == [3, 4, 5, 6])
        try store.write { try $0.keys.deleteOlder(than: Self.before(5), limit: 100, newest: 0) }
        #expect(try left() == [5, 6])
    }
}

struct TriggerRowTableTests {
    private static func schedule(_ trigger: String, _ path: String, due: Int64) -> ScheduleEntry {
        ScheduleEntry(trigger: trigger, path: path, due: time(due), change: Position(1), wanted: "{}")
    }

    @Test func `rows are put over, listed by name and deleted once`() throws {
        let store = try TestStore()
        try store.write { transaction in
            try transaction.triggers.put("b", row: "1", at: Position(1))
            try transaction.triggers.put("a", row: "2", at: Position(2))
            try transaction.triggers.put("b", row: "3", at: Position(3))
            #expect(try transaction.triggers.all() == ["2", "3"])
            #expect(try transaction.triggers.find("b") == "3")
            #expect(try transaction.triggers.delete("b"))
            #expect(try !transaction.triggers.delete("b"))
            #expect(try transaction.triggers.find("b") == nil)
        }
    }

    @Test func `a schedule is moved by being set again, and due from its very time on`() throws {
        let store = try TestStore()
        try store.write { transaction in
            let triggers = transaction.triggers
            #expect(try triggers.nextDue() == nil)
            try triggers.schedule(Self.schedule("t", "a/1", due: 50))
            try triggers.schedule(Self.schedule("t", "a/2", due: 40))
            try triggers.schedule(Self.schedule("t", "a/1", due: 30))
            try triggers.schedule(Self.schedule("u", "a/1", due: 60))
            #expect(try triggers.nextDue() == time(30))
            #expect(try triggers.due(at: time(29), limit: 9).isEmpty)
            #expect(try triggers.due(at: time(30), limit: 9).map(\.path) == ["a/1"])
            #expect(try triggers.due(at: time(99), limit: 9).map(\.due) == [time(30), time(40), time(60)])
            #expect(try triggers.due(at: time(99), limit: 2).count == 2)
            try triggers.unschedule("t", path: "a/2")
            try triggers.unschedule(path: DocumentPath("a/1"))
            #expect(try triggers.nextDue() == nil)
        }
    }

    @Test func `failures are listed newest first`() throws {
        let store = try TestStore()
        try store.write { transaction in
            for number in 1...5 {
                try transaction.triggers.insertDead(
                    trigger: "t\(number)",
                    path: "a/1",
                    change: Position(7),
                    reason: "why",
                    at: time(1)
                )
            }
            let newest = try transaction.dead.list(trigger: nil, before: .max, limit: 2)
            #expect(newest.map(\.trigger) == ["t5", "t4"])
            let rest = try transaction.dead.list(trigger: nil, before: newest[1].id, limit: 9)
            #expect(rest.map(\.trigger) == ["t3", "t2", "t1"])
            #expect(rest[0].reason == "why")
            #expect(try transaction.triggers.countDead() == 5)
        }
    }
}

struct PeopleTableTests {
    @Test func `a user is made once, with an inbox of the same number, known from that position on`() throws {
        let store = try TestStore()
        try store.write { transaction in
            _ = try transaction.appendSilently()
            let id = try transaction.users.findOrMake(userID("alice"), at: transaction.head)
            _ = try transaction.appendSilently()
            #expect(try transaction.users.findOrMake(userID("alice"), at: transaction.head) == id)
            let user = try transaction.users.find(userID("alice"))
            #expect(user?.id == id)
            #expect(user?.since == Position(1))
            #expect(user?.seenUpTo == Position(1))
            #expect(try transaction.users.name(of: id) == userID("alice"))
            #expect(try transaction.users.number(of: userID("bob")) == nil)
            #expect(try transaction.streams.find(Topic(user: userID("alice"))) == nil, "the inbox is no topic")
            #expect(try transaction.streams.name(of: id) == "@alice")
            #expect(try transaction.users.count() == 1)
        }
    }

    @Test func `the chosen language goes before the device's`() throws {
        let store = try TestStore()
        let id = try store.user("alice")
        #expect(try store.entry(id).effectiveLanguage == nil)
        try store.write { try $0.users.setDeviceLanguage(#require(LanguageTag("de")), of: id) }
        #expect(try store.entry(id).effectiveLanguage?.text == "de")
        try store.write { try $0.users.setLanguage(LanguageTag("it-CH"), of: id) }
        #expect(try store.entry(id).effectiveLanguage?.text == "it-CH")
        try store.write { try $0.users.setLanguage(nil, of: id) }
        #expect(try store.entry(id).effectiveLanguage?.text == "de")
    }

    @Test func `topics and followers are paged in an order that holds`() throws {
        let store = try TestStore()
        let users = try ["a", "b", "c"].map { try store.user($0) }
        try store.write { transaction in
            for name in ["person:9", "person:10", "series:tv/1"] {
                let stream = try transaction.streams.findOrMake(topic(name))
                for user in users.dropFirst(name == "series:tv/1" ? 2 : 0) {
                    try transaction.follows.insert(follower: user, stream: stream, since: Position(1))
                }
            }
            let follows = transaction.follows
            #expect(try follows.topics(of: users[2], after: "", limit: 2).map(\.text) == ["person:10", "person:9"])
            #expect(try follows.topics(of: users[2], after: "person:9", limit: 2).map(\.text) == ["series:tv/1"])
            #expect(try follows.count(of: users[2]) == 3)
            #expect(try follows.count(of: users[0]) == 2)
            #expect(try follows.streams(of: users[0]).count == 2)
            let stream = try #require(try transaction.streams.find(topic("person:9"))).id
            #expect(try follows.followers(of: stream, after: .nobody, limit: 2).map(\.name.text) == ["a", "b"])
            #expect(try follows.followers(of: stream, after: users[1], limit: 2).map(\.name.text) == ["c"])
            #expect(try follows.since(follower: users[0], stream: stream) == Position(1))
            try follows.end(follower: users[0], stream: stream, at: transaction.head)
            #expect(try follows.since(follower: users[0], stream: stream) == nil)
            #expect(try transaction.streams.addFollowers(3, to: stream) == 3)
            #expect(try transaction.streams.addFollowers(-1, to: stream) == 2)
        }
    }
}

struct ChatTableTests {
    private static let chat = ChatID("alice:bob")

    private static func message(
        _ n: Int64,
        at position: Int64,
        by author: StreamID,
        isRecommendation: Bool = false
    ) -> MessageEntry {
        MessageEntry(
            n: n,
            position: Position(position),
            author: author,
            at: time(n),
            text: "m\(n)",
            product: isRecommendation ? "{}" : nil,
            seen: isRecommendation ? false : nil
        )
    }

    @Test func `messages are paged from both ends and count what others wrote`() throws {
        let store = try TestStore()
        let (alice, bob) = (try store.user("alice"), try store.user("bob"))
        try store.write { transaction in
            let chat = try transaction.chats.make(#require(Self.chat), members: [alice, bob]).id
            for n in 1...6 {
                try transaction.messages.insert(
                    Self.message(Int64(n), at: Int64(n) * 10, by: n.isMultiple(of: 3) ? bob : alice),
                    in: chat
                )
            }
            let messages = transaction.messages
            #expect(try messages.page(of: chat, before: .max, limit: 2).map(\.n) == [6, 5])
            #expect(try messages.page(of: chat, before: 3, limit: 9).map(\.n) == [2, 1])
            #expect(try messages.page(of: chat, after: 0, limit: 2).map(\.n) == [1, 2])
            #expect(try messages.page(of: chat, after: 6, limit: 2).isEmpty)
            #expect(try messages.countOthers(of: chat, in: 2...6, than: bob) == 3)
            #expect(try messages.countOthers(of: chat, in: 1...6, than: alice) == 2)
            #expect(try messages.countOthers(of: chat, in: 1...3, than: alice) == 1)
            #expect(try messages.find(4, in: chat)?.text == "m4")
            #expect(try messages.find(7, in: chat) == nil)
        }
    }

    @Test func `unseen recommendations are those of the other, in the range, once`() throws {
        let store = try TestStore()
        let (alice, bob) = (try store.user("alice"), try store.user("bob"))
        try store.write { transaction in
            let chat = try transaction.chats.make(#require(Self.chat), members: [alice, bob]).id
            for n in 1...5 {
                let entry = Self.message(Int64(n), at: Int64(n), by: n == 4 ? bob : alice, isRecommendation: n != 2)
                try transaction.messages.insert(entry, in: chat)
            }
            let messages = transaction.messages
            #expect(try messages.unseenRecommendations(of: chat, in: 1...4, to: bob).map(\.n) == [1, 3])
            try messages.setSeen(3, in: chat)
            #expect(try messages.unseenRecommendations(of: chat, in: 1...5, to: bob).map(\.n) == [1, 5])
            #expect(try messages.find(3, in: chat)?.seen == true)
            #expect(try messages.find(2, in: chat)?.seen == nil)
        }
    }

    @Test func `the chat list is newest first, with the position that its own user has read`() throws {
        let store = try TestStore()
        let (alice, bob, carol) = (try store.user("alice"), try store.user("bob"), try store.user("carol"))
        try store.write { transaction in
            let chats = transaction.chats
            let first = try chats.make(#require(Self.chat), members: [alice, bob])
            let second = try chats.make(#require(ChatID("alice:carol")), members: [alice, carol])
            try chats.setLast(3, at: Position(30), in: first.id)
            try chats.setLast(1, at: Position(20), in: second.id)
            try chats.addUnread(to: alice, in: second.id)
            try chats.setRead(2, unread: 1, of: alice, in: first.id)
            let list = try chats.list(of: alice, before: Position(Position.bound), limit: 9)
            #expect(list.map(\.chat.name.text) == ["alice:bob", "alice:carol"])
            #expect(list.map(\.own.read) == [2, 0])
            #expect(list.map(\.own.unread) == [1, 1])
            #expect(try chats.list(of: alice, before: Position(30), limit: 9).count == 1)
            #expect(try chats.list(of: bob, before: Position(Position.bound), limit: 9).map(\.own.unread) == [0])
            #expect(try chats.countUnread(of: alice) == 2)
            #expect(try chats.find(#require(Self.chat))?.last == 3)
            #expect(try chats.members(of: first.id).count == 2)
            #expect(try chats.count() == 2)
        }
    }

    @Test func `a function that only reads sees what the writer has not written yet`() throws {
        let store = try TestStore()
        let (alice, bob) = (try store.user("alice"), try store.user("bob"))
        let name = try #require(Self.chat)
        func last(_ transaction: Transaction) throws -> [Int64?] {
            let chat = try transaction.chats.find(name)
            let members = try chat.map { try transaction.chats.members(of: $0.id) } ?? []
            return [chat?.last] + members.map(\.unread)
        }
        try store.write { transaction in
            let id = try transaction.chats.make(name, members: [alice, bob]).id
            #expect(try last(transaction.reading) == [0, 0, 0])
            try transaction.chats.setLast(5, at: Position(50), in: id)
            try transaction.chats.addUnread(to: bob, in: id)
            #expect(try last(transaction.reading) == [5, 0, 1])
            let list = try transaction.reading.chats.list(of: bob, before: Position(60), limit: 9)
            #expect(list.map(\.own.unread) == [1])
        }
        #expect(try store.read(last) == [5, 0, 1])
    }

    @Test func `delivered is what others wrote up to a position and is not marked yet`() throws {
        let store = try TestStore()
        let (alice, bob) = (try store.user("alice"), try store.user("bob"))
        try store.write { transaction in
            let chats = transaction.chats
            let chat = try chats.make(#require(Self.chat), members: [alice, bob])
            for (n, author) in [(1, alice), (2, alice), (3, bob), (4, alice)] {
                try transaction.messages.insert(Self.message(Int64(n), at: Int64(n) * 1000, by: author), in: chat.id)
                try chats.setLast(Int64(n), at: Position(Int64(n) * 1000), in: chat.id)
            }
            func delivered(to user: StreamID, _ after: Int64, _ upTo: Int64) throws -> [Int64] {
                try chats.newlyDelivered(to: user, after: Position(after), upTo: Position(upTo))
                    .compactMap(\.newestOfOthers)
            }
            #expect(try delivered(to: bob, 0, 900) == [])
            #expect(try delivered(to: bob, 0, 3500) == [2])
            try chats.setDelivered(2, of: bob, in: chat.id)
            #expect(try delivered(to: bob, 3500, 3900) == [])
            #expect(try delivered(to: bob, 3500, 4000) == [4])
            #expect(try delivered(to: alice, 0, 4000) == [3])
        }
    }

    @Test func `acknowledging one's own messages moves the mark over many of them, so that none is looked at twice`()
        throws
    {
        let store = try TestStore()
        let (alice, bob) = (try store.user("alice"), try store.user("bob"))
        try store.write { transaction in
            let chats = transaction.chats
            let chat = try chats.make(#require(Self.chat), members: [alice, bob])
            for n in Int64(1)...200 {
                try transaction.messages.insert(Self.message(n, at: n * 1000, by: alice), in: chat.id)
                try chats.setLast(n, at: Position(n * 1000), in: chat.id)
            }
            #expect(try chats.newlyDelivered(to: alice, after: .zero, upTo: Position(60_000)).isEmpty)
            let far = try chats.newlyDelivered(to: alice, after: .zero, upTo: Position(150_000))
            #expect(far.map(\.upTo) == [150])
            #expect(far.map(\.newestOfOthers) == [nil])
        }
    }

    @Test func `acknowledging in small steps gives the same as acknowledging at once`() throws {
        let store = try TestStore()
        let me = try store.user("me")
        try store.write { transaction in
            var last: [Int64: Int64] = [:]
            var told: [Int64: Int64] = [:]
            let chats = try (0..<6).map { number in
                let other = try transaction.users.findOrMake(#require(UserID("u\(number)")), at: .zero)
                return try transaction.chats.make(#require(ChatID("me:u\(number)")), members: [me, other])
            }
            for step in 1...900 {
                let chat = chats[step % 6]
                let position = try transaction.append(Array("{}".utf8), chat: chat.id, to: me, and: nil).value
                let n = (last[chat.id] ?? 0) + 1
                last[chat.id] = n
                try transaction.messages.insert(Self.message(n, at: position, by: StreamID(stored: 99)), in: chat.id)
                try transaction.chats.setLast(n, at: Position(position), in: chat.id)
            }
            var after = Int64(0)
            for upTo in [Int64(3), 4, 5, 300, 301, 302, 620, 800, 895, 897, 898, transaction.head.value] {
                for delivered in try transaction.chats.newlyDelivered(
                    to: me, after: Position(after), upTo: Position(upTo))
                {
                    told[delivered.chat.id] = delivered.newestOfOthers
                    try transaction.chats.setDelivered(delivered.upTo, of: me, in: delivered.chat.id)
                }
                after = upTo
            }
            #expect(told == last)
        }
    }
}

struct BroadcastTableTests {
    @Test func `broadcasts are numbered from 1 and cancelled`() throws {
        let store = try TestStore()
        try store.write { transaction in
            let broadcasts = transaction.broadcasts
            #expect(try broadcasts.nextID() == 1)
            try broadcasts.insert(
                id: 1, position: Position(7), audience: "everyone", size: 3, at: time(5), due: time(5), wanted: "{}")
            #expect(try broadcasts.nextID() == 2)
            let entry = try broadcasts.find(1)
            #expect(entry?.audience == "everyone")
            #expect(entry?.position == Position(7))
            #expect(entry?.isCancelled == false)
            try broadcasts.cancel(1, at: time(6))
            #expect(try broadcasts.find(1)?.isCancelled == true)
            #expect(try broadcasts.find(2) == nil)
        }
    }

    @Test func `a broadcast goes from scheduled over sending to sent, and keeps all its places`() throws {
        let store = try TestStore()
        try store.write { transaction in
            let broadcasts = transaction.broadcasts
            try broadcasts.insert(
                id: 1, position: Position(7), audience: "everyone", size: 3, at: time(1), due: time(5), wanted: "{}")
            #expect(try broadcasts.nextDue() == time(5) && broadcasts.countWaiting() == 1)
            #expect(try broadcasts.due(at: time(4), limit: 9).isEmpty)
            #expect(try broadcasts.due(at: time(5), limit: 9).map(\.state) == [.scheduled])
            try broadcasts.note(1, positions: [Position(9)], size: 4, sent: time(5), due: time(6))
            try broadcasts.note(1, positions: [Position(9), Position(11)], size: 5, sent: time(6), due: time(7))
            #expect(try broadcasts.find(1)?.state == .sending)
            try broadcasts.note(
                1, positions: [Position(9), Position(11), Position(12)], size: 5, sent: time(7), due: nil)
            let sent = try broadcasts.find(1)
            #expect(sent?.state == .sent && sent?.size == 5)
            #expect(sent?.positions == [Position(9), Position(11), Position(12)])
            #expect(try broadcasts.nextDue() == nil)
            for (id, state) in [(2, BroadcastEntry.State.cancelled), (3, .expired)] {
                try broadcasts.insert(
                    id: Int64(id), position: Position(20), audience: "everyone", size: 3, at: time(1), due: time(5),
                    wanted: "{}")
                if state == .cancelled {
                    try broadcasts.cancel(Int64(id), at: time(6))
                } else {
                    try broadcasts.note(Int64(id), positions: [], size: 3, sent: nil, due: nil)
                }
                #expect(try broadcasts.find(Int64(id))?.state == state)
                #expect(try broadcasts.find(Int64(id))?.position == Position(20))
            }
            for (state, ids) in [
                (nil, [3, 2, 1]), (.sent, [1]), (.cancelled, [2]), (.expired, [3]), (.scheduled, []), (.sending, []),
            ] as [(BroadcastEntry.State?, [Int64])] {
                #expect(try broadcasts.page(state, before: .max, limit: 9).map(\.id) == ids)
            }
            #expect(try broadcasts.page(nil, before: 3, limit: 1).map(\.id) == [2])
        }
    }
}
