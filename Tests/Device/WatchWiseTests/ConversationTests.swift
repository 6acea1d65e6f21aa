import Foundation
import TestSupport
import Testing

@testable import WatchWise

/// Two devices and a real server.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct ConversationTests {
    let server: LiveServer

    init() async throws {
        server = try LiveServer()
        try await server.befriend("alice", "bob")
    }

    @Test func `a message is shown at once, is done, and is seen by the other person`() async throws {
        let alice = try await server.open("alice")
        let bob = try await server.open("bob")
        let chat = await alice.chat(with: "bob")
        let write = try await chat.send("ciao")
        let shown = try await chat.snapshots().first { !$0.items.isEmpty }
        #expect(shown.items.map(\.text) == ["ciao"])
        let answer = try await write.done()
        #expect(answer["chat"] == "alice:bob")
        #expect(answer["n"] == 1)
        let seen = try await bob.chats.snapshots().first { $0.items.first?.unread == 1 }
        #expect(seen.items.first?.last?.text == "ciao")
        let read = try await bob.chat("alice:bob").read(1)
        let counts = try await bob.unread.first { $0.value?.chats == 0 }
        #expect(counts.isComplete)
        try await read.done()
        let noticed = try await alice.chats.snapshots().first { $0.items.first?.peerRead == 1 }
        #expect(noticed.isComplete)
        let confirmed = try await chat.snapshots().first { $0.items.first?.pending == nil && $0.isComplete }
        #expect(confirmed.items.map(\.n) == [1])
    }

    @Test func `a list goes on with the messages of the server, window by window, to the first one`() async throws {
        let alice = try await server.open("alice")
        let chat = await alice.chat(with: "bob")
        for count in 1...120 { try await chat.send("\(count)") }
        let sent = try await alice.outbox.snapshots.first { $0.items.isEmpty }
        #expect(sent.items.isEmpty)
        // A new device has the last message, with the list of chats.
        let other = try await server.open("alice")
        let messages = await other.chat(with: "bob").snapshots(limit: 20)
        let newest = try await messages.first { $0.isComplete }
        #expect(newest.items.compactMap(\.n) == Array(101...120) && newest.hasMore)
        messages.more(70)
        let more = try await messages.first { $0.isComplete && $0.items.count > 20 }
        #expect(more.items.compactMap(\.n) == Array(31...120) && more.hasMore)
        messages.more()
        let all = try await messages.first { $0.isComplete && !$0.hasMore }
        #expect(all.items.compactMap(\.n) == Array(1...120))
    }

    @Test func `a recommendation, an edit, a reaction and a deletion arrive`() async throws {
        let alice = try await server.open("alice")
        let bob = try await server.open("bob")
        let chat = await alice.chat(with: "bob")
        try await chat.recommend(Product(id: "movie/603", title: "The Matrix", year: 1999), note: "tonight?").done()
        let other = await bob.chat("alice:bob")
        let received = try await other.snapshots().first { $0.items.first?.product != nil }
        #expect(received.items.first?.product == Product(id: "movie/603", title: "The Matrix", year: 1999))
        #expect(received.items.first?.text == "tonight?")
        try await other.react(1, "🍿").done()
        let reacted = try await chat.snapshots().first { $0.items.first?.reactions.isEmpty == false }
        #expect(reacted.items.first?.reactions == [Message.Reaction(emoji: "🍿", count: 1, isMine: false)])
        try await chat.send("tipo").done()
        try await chat.edit(2, "typo").done()
        let edited = try await other.snapshots().first { $0.items.last?.text == "typo" }
        #expect(edited.items.last?.editedAt != nil)
        try await chat.delete(2).done()
        let deleted = try await other.snapshots().first { $0.items.last?.isDeleted == true }
        #expect(deleted.items.last?.text == nil)
    }

    @Test func `documents live on both devices, as types of the application`() async throws {
        struct Task: Codable, Sendable, Hashable {
            var title: String
            var done: Bool
        }
        let phone = try await server.open("alice")
        let laptop = try await server.open("alice")
        let path = "users/alice/tasks/1"
        try await phone.document(path, as: Task.self).put(Task(title: "tickets", done: false)).done()
        let tasks = await laptop.collection("users/alice/tasks", as: Task.self)
        let first = try await tasks.snapshots().first { $0.isComplete && $0.items.count == 1 }
        #expect(first.items.first?.data == Task(title: "tickets", done: false))
        try await phone.document(path).patch(["done": true]).done()
        let second = try await tasks.snapshots().first { $0.items.first?.data.done == true }
        #expect(second.items.first?.version == 2)
        #expect(try await phone.document(path, as: Task.self).get()?.data.title == "tickets")
        try await phone.document(path).remove().done()
        _ = try await tasks.snapshots().first { $0.isComplete && $0.items.isEmpty }
        #expect(try await phone.document(path).get() == nil)
        await #expect(throws: WatchWiseError.self) { try await phone.document(path, as: Int.self).put(1).done() }
    }

    @Test func `topics, preferences, rooms and presence`() async throws {
        let alice = try await server.open("alice")
        let bob = try await server.open("bob")
        try await alice.topics.follow("person:525").done()
        #expect(try await alice.topics.isFollowed("person:525"))
        try await alice.topics.unfollow("person:525").done()
        #expect(try await alice.topics.list() == ["user:bob"])
        try await alice.preferences.set(["locale": "it"]).done()
        #expect(try await alice.preferences.get()["locale"] == "it")
        try await bob.topics.follow("user:alice").done()
        let room = try await alice.rooms.create("Film club", members: ["bob"]).done()
        let id = try #require(room["chat"]?.string)
        let joined = try await bob.chats.snapshots().first { $0.items.contains { $0.chat == id } }
        #expect(joined.items.first?.title == "Film club")
        try await bob.chat(id).send("first!").done()
        let heard = try await alice.chat(id).snapshots().first { $0.items.last?.text == "first!" }
        #expect(heard.items.last?.from == "bob")
        _ = try await alice.presence.snapshots(["bob", "carol"]).first { $0 == ["bob"] }
    }

    @Test func `a path beyond 100 finds no room, and gets it when another ends`() async throws {
        let alice = try await server.open("alice")
        var readers: [Snapshots<Versioned<AnyJSON>>.Iterator] = []
        for number in 0..<100 {
            var reader = await alice.document("users/alice/tasks/\(number)").snapshots().makeAsyncIterator()
            while let snapshot = await reader.next(), !snapshot.isComplete {}
            readers.append(reader)
        }
        var last = await alice.document("users/alice/tasks/100").snapshots().makeAsyncIterator()
        var error: WatchWiseError?
        while error == nil, let snapshot = await last.next() { error = snapshot.error }
        #expect(error?.code == "too-many")
        readers.removeFirst()
        while let snapshot = await last.next(), !snapshot.isComplete {}
        // The next connection begins all of them again.
        readers.append(last)
        await alice.disconnect()
        for place in readers.indices {
            let offline = await readers[place].next()
            #expect(offline?.isComplete == false)
        }
        try await alice.connect()
        for place in readers.indices {
            while let snapshot = await readers[place].next(), !snapshot.isComplete {}
        }
        await alice.close()
    }

    @Test func `readers of people who are online do not end each other`() async throws {
        let alice = try await server.open("alice")
        let bob = try await server.open("bob")
        let carol = try await server.open("carol")
        for member in [bob, carol] { try await member.topics.follow("user:alice").done() }
        let room = try await alice.rooms.create("Film club", members: ["bob", "carol"]).done()
        let id = try #require(room["chat"]?.string)
        for member in [bob, carol] {
            _ = try await member.chats.snapshots().first { $0.items.contains { $0.chat == id } }
            try await member.chat(id).send("here I am").done()
        }
        var both = await alice.presence.snapshots(["bob", "carol"]).makeAsyncIterator()
        func shows(become wanted: Set<String>) async {
            while let online = await both.next(), online != wanted {}
        }
        await shows(become: ["bob", "carol"])
        // No user can have such a name: the others lose nothing by it.
        _ = try await alice.presence.snapshots(["Łukasz ż", "bob"]).first { $0 == ["bob"] }
        // Another reader comes and goes.
        _ = try await alice.presence.snapshots(["carol"]).first { $0 == ["carol"] }
        await carol.close()
        await shows(become: ["bob"])
        // The next connection watches the same people.
        await alice.disconnect()
        try await alice.connect()
        await bob.close()
        await shows(become: [])
        await alice.close()
        #expect(await both.next() == nil)
    }

    @Test func `a reader of people keeps the library open, and lets it go at the end`() async throws {
        weak var device: AnyObject?
        let bob = try await server.open("bob")
        func read() async throws {
            let reading = try await { [server] in
                let alice = try await server.open("alice")
                try await alice.chat(with: "bob").send("hi").done()
                device = await alice.presence.device
                return await alice.presence.snapshots(["bob"])
            }()
            var online = reading.makeAsyncIterator()
            while let people = await online.next(), people != ["bob"] {}
            await bob.close()
            while let people = await online.next(), !people.isEmpty {}
        }
        try await read()
        for _ in 0..<100 where device != nil { try await Task.sleep(for: .milliseconds(50)) }
        #expect(device == nil)
    }

    @Test func `an owner gives roles, mutes, removes and bars, and the members hear it`() async throws {
        let alice = try await server.open("alice")
        let carol = try await server.open("carol")
        try await alice.topics.follow("user:carol").done()
        for member in [carol, try await server.open("bob")] { try await member.topics.follow("user:alice").done() }
        let rooms = await alice.rooms
        let made = try await rooms.create("Film club", members: ["bob", "carol"], posting: .all, history: .all).done()
        let id = try #require(made["chat"]?.string)
        try await rooms.update(id, title: "Films at night", isOpen: true, pace: 0).done()
        try await rooms.setRole(.moderator, of: "bob", in: id).done()
        let until = Date(timeIntervalSinceNow: 3_600)
        try await rooms.mute("carol", in: id, until: until).done()
        let (members, count, next) = try await rooms.members(of: id)
        #expect(count == 3)
        #expect(next == nil)
        #expect(
            Dictionary(uniqueKeysWithValues: members.map { ($0.user, $0.role) })
                == ["alice": .owner, "bob": .moderator, "carol": .member])
        #expect(members.first { $0.user == "carol" }?.mutedUntil == until.formatted(.server))
        let barred = await #expect(throws: WatchWiseError.self) { try await carol.chat(id).send("first!").done() }
        #expect(barred?.kind == .permanent)
        try await rooms.mute("carol", in: id, until: nil).done()
        try await carol.chat(id).send("now").done()
        let listed = try await carol.rooms.list().rooms.first { $0.chat == id }
        #expect(listed?.title == "Films at night")
        #expect(listed?.role == .member)
        #expect(listed?.isOpen == true)
        #expect(listed?.history == .all)
        try await rooms.ban("carol", from: id, reason: "spoilers").done()
        let without = try await carol.chats.snapshots().first { snapshot in
            snapshot.isComplete && !snapshot.items.contains { $0.chat == id }
        }
        #expect(!without.items.contains { $0.chat == id })
        let kept = await #expect(throws: WatchWiseError.self) { try await carol.rooms.join(id).done() }
        #expect(kept?.code == "forbidden")
        try await rooms.unban("carol", from: id).done()
        try await carol.rooms.join(id).done()
        let open = try await carol.rooms.list(areOpen: true).rooms
        #expect(open.contains { $0.chat == id && $0.members == 3 })
        try await rooms.remove("carol", from: id).done()
        #expect(try await rooms.members(of: id).count == 2)
    }

    @Test func `a document that is let go before its watch is answered does not count as watched`() async throws {
        let alice = try await server.open("alice")
        for await state in await alice.states where state == .live { break }
        // As many as a connection may watch; each list shows the store first, before the server has answered.
        for number in 1...100 {
            for await _ in await alice.document("users/alice/tasks/\(number)", as: [String: String].self).snapshots() {
                break
            }
        }
        let task = await alice.document("users/alice/tasks/101", as: [String: String].self)
        try await task.put(["title": "Buy tickets"]).done()
        let shown = try await task.snapshots().first { $0.isComplete || $0.error != nil }
        #expect(shown.error == nil)
        #expect(shown.items.count == 1)
    }

    @Test func `a refused write fails with the contract's error, and a bad address with a sentence`() async throws {
        let alice = try await server.open("alice")
        let error = await #expect(throws: WatchWiseError.self) {
            try await alice.chat("bob:carol").edit(1, "not mine").done()
        }
        #expect(error?.kind == .permanent)
        #expect(await alice.outbox.entries.first?.pending == .failed)
        await #expect(throws: WatchWiseError.self) { try await alice.request(["type": "send", "to": "bob"]) }
        await #expect(throws: WatchWiseError.self) {
            try await WatchWise(server: "chat.example.org", user: "alice", store: .memory) { _ in "token" }
        }
    }
}
