import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution
import Webhooks

/// Edits, deletions and reactions: what everybody gets of a message from then on, and what nobody gets any more.
struct ChangedMessageTests {
    private static let day: Int64 = 86_400_000
    private static let chat = "alice:bob"

    private func house(triggers: [JSONValue] = []) throws -> House {
        let house = try House(triggers: triggers)
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob", "secret one")
        return house
    }

    private func refusal(_ house: House, _ body: () throws -> JSONValue) throws -> Refusal {
        try house.refusal(of: ["alice", "bob", "carol"], body)
    }

    /// Everything that a device gets that was away since a position, as text.
    private func resumed(_ house: House, _ name: String, after position: Int64 = 0) throws -> [JSONValue] {
        let user = try house.entry(name)
        let page = try house.look {
            try LogPage(of: user, after: Position(position), deviceLanguage: nil, limit: 1000, in: $0)
        }
        return try page.events.map { try JSONValue(parsing: $0.bytes) }
    }

    private func message(_ house: House, _ name: String, _ n: Int64 = 1) throws -> JSONValue {
        let listed = try house.history(name, Self.chat, after: n - 1, limit: 1)["messages"]?.arrayValue ?? []
        return try #require(listed.first)
    }

    // MARK: Edits

    @Test func `an edit reaches everybody, and stands at the message's place from then on`() throws {
        let house = try house()
        let bob = try house.connect("bob")
        let alice = try house.connect("alice")
        #expect(try message(house, "bob")["rev"] == 1)
        let ok = try house.edit("alice", Self.chat, 1, "one", rev: 1, key: "e1")
        #expect(ok["rev"] == 2)
        for session in [bob, alice] {
            let event = try #require(session.events.last)
            #expect(event["type"] == "message.edited" && event["text"] == "one" && event["rev"] == 2)
            #expect(event["key"] == "e1" && event["seq"] == ok["seq"] && event["n"] == 1)
            #expect(event["editedAt"] == .string(house.now.text))
        }
        let listed = try message(house, "bob")
        #expect(listed["text"] == "one" && listed["rev"] == 2 && listed["editedAt"] != nil)
        #expect(try house.chats("bob")["chats"]?.arrayValue?[0]["last"]?["text"] == "one")
        let events = try resumed(house, "bob")
        #expect(events.compactMap { $0["type"]?.stringValue }.suffix(2) == ["message", "message.edited"])
        #expect(events.suffix(2).allSatisfy { $0["text"] == "one" && $0["rev"] == 2 })
        #expect(!JSONValue.array(events).text.contains("secret"))
    }

    @Test func `only the newest of several edits has a text in the log`() throws {
        let house = try house()
        for text in ["secret two", "secret three", "four"] { try house.edit("alice", Self.chat, 1, text) }
        let events = try resumed(house, "bob").suffix(4)
        #expect(events.map { $0["text"]?.stringValue } == ["four", nil, nil, "four"])
        #expect(events.map { $0["rev"]?.integerValue } == [4, 2, 3, 4])
    }

    @Test func `an edit that changes nothing is no event`() throws {
        let house = try house()
        let head = house.head
        let ok = try house.edit("alice", Self.chat, 1, "secret one")
        #expect(ok["rev"] == 1 && ok["seq"] == .integer(head.value) && house.head == head)
    }

    @Test func `only the author edits, only for a day, and only the form that was named`() throws {
        let house = try house()
        for (name, code) in [("bob", ErrorCode.forbidden), ("carol", .forbidden)] {
            let refused = try refusal(house) { try house.edit(name, Self.chat, 1, "x") }
            #expect(refused.code == code, "\(name)")
        }
        let unknown = try refusal(house) { try house.edit("alice", Self.chat, 2, "x") }
        #expect(unknown.code == .notFound && unknown.field == "n")
        let other = try refusal(house) { try house.edit("alice", Self.chat, 1, "x", rev: 2) }
        #expect(other.code == .conflict && other.field == "rev" && other.found?.version == 1)
        house.now = house.now.adding(milliseconds: Self.day)
        try house.edit("alice", Self.chat, 1, "in time")
        house.now = house.now.adding(milliseconds: 1)
        let late = try refusal(house) { try house.edit("alice", Self.chat, 1, "late") }
        #expect(late.code == .forbidden && late.field == "n" && late.message.contains("1d"))
    }

    @Test func `a message is edited a hundred times, and then no more`() throws {
        let house = try house()
        for number in 1...100 { try house.edit("alice", Self.chat, 1, "form \(number)") }
        let refused = try refusal(house) { try house.edit("alice", Self.chat, 1, "once more") }
        #expect(refused.code == .forbidden && refused.field == "n" && refused.message.contains("100"))
        #expect(try message(house, "bob")["text"] == "form 100")
        try house.delete("alice", Self.chat, 1)
    }

    @Test func `a key stands for one change`() throws {
        let house = try house()
        let first = try house.edit("alice", Self.chat, 1, "one", key: "k")
        #expect(try house.edit("alice", Self.chat, 1, "one", key: "k") == first)
        for change in [
            { try house.edit("alice", Self.chat, 1, "two", key: "k") },
            { try house.delete("alice", Self.chat, 1, key: "k") },
            { try house.react("alice", Self.chat, 1, "👍", key: "k") },
        ] {
            #expect(try refusal(house, change).code == .keyReused)
        }
    }

    @Test func `the note of a recommendation can be edited, as far as a note goes`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob", note: "see it")
        try house.edit("alice", Self.chat, 1, "better not")
        let listed = try message(house, "bob")
        #expect(listed["text"] == "better not" && listed["product"]?["id"] == "movie/603" && listed["seen"] == false)
        let long = String(repeating: "x", count: Limits.noteCharactersMax + 1)
        #expect(try refusal(house) { try house.edit("alice", Self.chat, 1, long) }.field == "text")
    }

    @Test func `rows fire on edits and deletions of the message's document`() throws {
        func row(_ event: String, _ body: String) -> JSONValue {
            [
                "name": .string("m-\(event)"), "event": .string(event), "path": "chats/{chat}/messages/{n}",
                "audience": "user:bob", "title": .string(event), "body": .string(body),
            ]
        }
        let house = try house(triggers: [
            row("update", "{{before.text}} is now {{after.text}}"), row("delete", "{{before.from}}: {{before.text}}."),
        ])
        try house.edit("alice", Self.chat, 1, "one")
        #expect(try house.notifications("bob").texts("notifications", "body").first == "secret one is now one")
        try house.react("bob", Self.chat, 1, "👍")
        try house.delete("alice", Self.chat, 1)
        #expect(try house.notifications("bob").texts("notifications", "body") == ["alice: ."])
    }

    // MARK: Deletions

    @Test func `a deleted text is nowhere, and the number stays`() throws {
        let house = try house(triggers: [try House().messageRow])
        try house.send("alice", "bob", "kept")
        try house.edit("alice", Self.chat, 1, "secret two")
        try house.react("bob", Self.chat, 1, "👍")
        let bob = try house.connect("bob")
        let ok = try house.delete("alice", Self.chat, 1, key: "d1")
        let event = try #require(bob.events.first)
        #expect(event["type"] == "message.deleted" && event["n"] == 1 && event["user"] == "alice")
        #expect(event["key"] == "d1" && event["seq"] == ok["seq"] && event["rev"] == 3)
        #expect(bob.types == ["message.deleted", "notification.removed"])
        #expect(bob.events.last?["reason"] == "retracted")
        for name in ["alice", "bob"] {
            let listed = try message(house, name)
            #expect(listed["deleted"] == true && listed["text"] == nil && listed["reactions"] == nil)
            #expect(listed["n"] == 1 && listed["from"] == "alice")
            #expect(try !house.history(name, Self.chat).text.contains("secret"))
            #expect(try !JSONValue.array(resumed(house, name)).text.contains("secret"))
            #expect(try !house.notifications(name).text.contains("secret"))
        }
        #expect(try house.delete("alice", Self.chat, 1, key: "d1") == ok)
        let head = house.head
        try house.delete("alice", Self.chat, 1)
        #expect(house.head == head, "it was deleted before")
    }

    @Test func `counts fall by the unread messages`() throws {
        let house = try house(triggers: [try House().messageRow])
        try house.send("alice", "bob", "two")
        try house.send("alice", "bob", "three")
        try house.markRead("bob", Self.chat, 1)
        #expect(try house.counts("bob") == UnreadCounts(chats: 1, notifications: 2))
        try house.delete("alice", Self.chat, 1)
        #expect(try house.counts("bob") == UnreadCounts(chats: 1, notifications: 2), "it was read")
        try house.delete("alice", Self.chat, 2)
        #expect(try house.chats("bob")["chats"]?.arrayValue?[0]["unread"] == 1)
        let bob = try house.connect("bob")
        try house.delete("alice", Self.chat, 3)
        #expect(try house.counts("bob") == UnreadCounts(chats: 0, notifications: 0))
        #expect(bob.counts == UnreadCounts(chats: 0, notifications: 0))
        try house.send("alice", "bob", "four")
        try house.send("alice", "bob", "five")
        try house.delete("alice", Self.chat, 4)
        try house.markRead("bob", Self.chat, 4)
        #expect(try house.chats("bob")["chats"]?.arrayValue?[0]["unread"] == 1)
        try house.markRead("bob", Self.chat, 5)
        #expect(try house.counts("bob") == UnreadCounts(chats: 0, notifications: 0))
    }

    @Test func `only the author deletes, and a deleted message cannot be changed`() throws {
        let house = try house()
        for name in ["bob", "carol"] {
            #expect(try refusal(house) { try house.delete(name, Self.chat, 1) }.code == .forbidden, "\(name)")
        }
        #expect(try refusal(house) { try house.delete("alice", Self.chat, 7) }.code == .notFound)
        try house.delete("alice", Self.chat, 1)
        for change in [
            { try house.edit("alice", Self.chat, 1, "again") }, { try house.react("bob", Self.chat, 1, "👍") },
        ] {
            let refused = try refusal(house, change)
            #expect(refused.code == .notFound && refused.field == "n")
        }
    }

    @Test func `a recommendation that is deleted waits for nobody, and is no document`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        let bob = try house.connect("bob")
        try house.recommend("alice", "bob", note: "secret")
        #expect(bob.counts.notifications == 2)
        try house.delete("alice", Self.chat, 1)
        #expect(bob.counts == UnreadCounts(chats: 0, notifications: 1), "the follower stays")
        #expect(try message(house, "bob")["product"] == nil)
        for path in ["recommendations/alice:bob-1", "chats/alice:bob/messages/1"] {
            let path = try DocumentPath(path)
            #expect(throws: Refusal.self) { try house.read(ReadDocument(path), by: "bob") }
        }
        #expect(
            try house.read(ListDocuments(collection: "recommendations", after: nil, limit: 10), by: "admin")[
                "documents"]
                == [])
    }

    @Test func `a webhook that waits loses the words`() throws {
        var row = try House().messageRow
        row["webhook"] = "https://hook.example/"
        let house = try house(triggers: [row])
        #expect(try house.look { try $0.webhooks.data(of: 1) }?.contains("secret") == true)
        try house.delete("alice", Self.chat, 1)
        let data = try #require(try house.look { try $0.webhooks.data(of: 1) })
        #expect(!data.contains("secret") && data.contains(#""from":"alice""#))
    }

    @Test func `an administrator's question shows no earlier text`() throws {
        let house = try house(triggers: [try House().messageRow])
        try house.edit("alice", Self.chat, 1, "secret two")
        let question = try ExplainPath(path: "chats/alice:bob/messages/1", user: "bob", seq: nil, limit: "10")
        #expect(try house.read(question, by: "admin")["changes"]?.arrayValue?.count == 2)
        try house.delete("alice", Self.chat, 1)
        let answer = try house.read(question, by: "admin")
        #expect(!answer.text.contains("secret"))
        #expect(answer["changes"]?.arrayValue?[0]["write"] != nil, "the deletion is known")
    }

    @Test func `earlier texts are kept a week for reports, then trimmed`() throws {
        let house = try house()
        try house.edit("alice", Self.chat, 1, "two")
        house.now = house.now.adding(milliseconds: Self.day)
        try house.delete("alice", Self.chat, 1)
        let id = try house.number(ofChat: Self.chat)
        func past() throws -> [String?] {
            try house.look { try $0.messages.past(of: 1, in: id, newest: 100) }.map(\.text)
        }
        #expect(try past() == ["secret one", "two"])
        try house.trim(keeping: nil)
        #expect(try past() == ["secret one", "two"])
        house.now = house.now.adding(milliseconds: 6 * Self.day)
        try house.trim(keeping: nil)
        #expect(try past() == ["two"])
        house.now = house.now.adding(milliseconds: Self.day)
        try house.trim(keeping: nil)
        #expect(try past() == [])
    }

    // MARK: Reactions

    @Test func `each person gives each emoji once, and everybody sees who gave how many`() throws {
        let house = try house()
        let alice = try house.connect("alice")
        let ok = try house.react("bob", Self.chat, 1, "👍", key: "r1")
        let event = try #require(alice.events.last)
        #expect(event["type"] == "reaction" && event["emoji"] == "👍" && event["on"] == true)
        #expect(event["user"] == "bob" && event["key"] == "r1" && event["seq"] == ok["seq"])
        let head = house.head
        try house.react("bob", Self.chat, 1, "👍")
        #expect(house.head == head, "once for each person")
        try house.react("bob", Self.chat, 1, "🎬")
        try house.react("alice", Self.chat, 1, "👍")
        let both: JSONValue = [
            ["emoji": "👍", "count": 2, "mine": true], ["emoji": "🎬", "count": 1, "mine": false],
        ]
        #expect(try message(house, "alice")["reactions"] == both)
        #expect(try house.chats("alice")["chats"]?.arrayValue?[0]["last"]?["reactions"] == both)
        let resumed = try resumed(house, "alice").first { $0["type"] == "message" }
        #expect(resumed?["reactions"] == both && resumed?["text"] == "secret one")
        #expect(try message(house, "bob")["reactions"]?.arrayValue?[1]["mine"] == true)
        try house.react("bob", Self.chat, 1, "👍", isOn: false)
        try house.react("bob", Self.chat, 1, "👍", isOn: false)
        #expect(alice.events.last?["on"] == false)
        #expect(try message(house, "bob")["reactions"]?.arrayValue?[1] == ["emoji": "👍", "count": 1, "mine": false])
    }

    @Test func `a message has twenty kinds of reactions`() throws {
        let house = try house()
        for scalar in 0..<20 {
            try house.react("bob", Self.chat, 1, String(Unicode.Scalar(UInt32(0x1F600 + scalar)) ?? "a"))
        }
        let refused = try refusal(house) { try house.react("alice", Self.chat, 1, "👍") }
        #expect(refused.code == .tooMany && refused.field == "emoji")
        try house.react("alice", Self.chat, 1, "\u{1F600}")
        #expect(try message(house, "bob")["reactions"]?.arrayValue?.count == 20)
        #expect(try refusal(house) { try house.react("carol", Self.chat, 1, "👍") }.code == .forbidden)
    }
}

extension House {
    fileprivate func number(ofChat name: String) throws -> Int64 {
        let id = try chat(name)
        let found = try look { try $0.chats.find(id) }
        return try #require(found).id
    }
}
