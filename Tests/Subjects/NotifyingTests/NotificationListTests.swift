import ClientProtocol
import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

struct NotificationListTests {
    /// alice has, oldest first: one of her own, one of a topic, one to everyone, one of her own.
    private static func house() throws -> House {
        let house = try House()
        try house.follow("alice", "person:1")
        for (audience, title) in [
            ("user:alice", "own"), ("person:1", "topic"), ("everyone", "all"), ("user:alice", "own again"),
        ] {
            try house.broadcast(audience, title)
        }
        return house
    }

    @Test func `own, followed and everyone's come merged, newest first, in pages`() throws {
        let house = try Self.house()
        let all = try house.notifications("alice")
        #expect(all.texts("notifications", "title") == ["own again", "all", "topic", "own"])
        #expect(all.texts("notifications", "topic") == ["user:alice", "everyone", "person:1", "user:alice"])
        #expect(all["unread"] == 4)
        #expect(all["next"] == nil)
        let first = try house.notifications("alice", limit: 3)
        #expect(first.texts("notifications", "title") == ["own again", "all", "topic"])
        let next = try #require(first["next"]?.stringValue)
        let rest = try house.notifications("alice", before: next, limit: 3)
        #expect(rest.texts("notifications", "title") == ["own"])
        #expect(rest["next"] == nil)
        for cursor in ["", "-1", "01", "n1", "1 "] {
            #expect(try house.refusal { try house.notifications("alice", before: cursor) }.field == "before")
        }
    }

    @Test func `seen single ones and seen up to a position show, and filter`() throws {
        let house = try Self.house()
        let alice = try house.connect("alice")
        let positions = try house.notifications("alice").integers("notifications", "seq")
        let reply = try house.seen("alice", ids: ["n\(positions[1])"])
        #expect(reply["unread"] == 3)
        #expect(reply.seq == house.head.value)
        #expect(try house.seen("alice", upTo: positions[3])["unread"] == 2)
        #expect(alice.types == ["notification.seen", "notification.seen"])
        #expect(alice.events[0]["ids"] == [.string("n\(positions[1])")])
        #expect(alice.events[1]["upTo"]?.integerValue == positions[3])
        #expect(alice.counts.notifications == 2)
        let list = try house.notifications("alice")["notifications"]?.arrayValue ?? []
        #expect(list.map { $0["seen"]?.boolValue } == [false, true, false, true])
        let unread = try house.notifications("alice", isUnreadOnly: true)
        #expect(unread.texts("notifications", "title") == ["own again", "topic"])
    }

    @Test func `seeing again changes nothing, and never moves back`() throws {
        let house = try Self.house()
        let positions = try house.notifications("alice").integers("notifications", "seq")
        try house.seen("alice", upTo: positions[1])
        let state = try house.state()
        let again = try house.seen("alice", upTo: positions[2])
        #expect(again == ["unread": 1, "seq": .integer(house.head.value)])
        try house.seen("alice", ids: ["n\(positions[1])", "n\(positions[3])"])
        #expect(try house.state() == state)
    }

    @Test func `one notification that the user cannot read makes the whole list of seen ones fail`() throws {
        let house = try Self.house()
        _ = try house.actor("bob")
        try house.broadcast("user:bob", "his")
        let own = try #require(try house.notifications("alice").texts("notifications", "id").first)
        for id in ["n999", "x", "n\(house.head.value)"] {
            let refused = try house.refusal { try house.seen("alice", ids: [own, id]) }
            #expect(refused.code == .notFound)
            #expect(refused.field == "ids[1]")
        }
        #expect(try house.counts("alice").notifications == 4)
        let refused = try house.refusal { try house.seen("alice", upTo: house.head.value + 1) }
        #expect(refused.code == .badRequest)
        #expect(refused.field == "upTo")
    }

    @Test func `a notification that was removed meanwhile is left out, and the rest of the list is seen`() throws {
        let house = try Self.house()
        let ids = try house.notifications("alice").texts("notifications", "id")
        try house.broadcast("user:alice", "short", expires: house.now.adding(milliseconds: 1))
        let gone = "n\(try house.notifications("alice").integers("notifications", "seq")[0])"
        house.now = house.now.adding(milliseconds: 1)
        try house.write(FireDueTriggers(), by: "server")
        try house.seen("alice", ids: [gone, ids[0]])
        #expect(try house.counts("alice").notifications == 3)
    }

    @Test func `an expired notification leaves every device, list and count`() throws {
        for audience in ["user:alice", "person:1", "everyone"] {
            let house = try House()
            let alice = try house.connect("alice")
            try house.follow("alice", "person:1")
            try house.broadcast(audience, "short", expires: house.now.adding(milliseconds: 1000))
            try house.broadcast(audience, "long")
            alice.forget()
            #expect(try house.look { try $0.triggers.nextDue() } == house.now.adding(milliseconds: 1000))
            house.now = house.now.adding(milliseconds: 999)
            try house.write(FireDueTriggers(), by: "server")
            #expect(alice.counts.notifications == 2)
            house.now = house.now.adding(milliseconds: 1)
            try house.write(FireDueTriggers(), by: "server")
            #expect(alice.types == ["notification.removed"])
            #expect(alice.events[0]["reason"] == "expired")
            #expect(alice.counts.notifications == 1)
            #expect(try house.notifications("alice").texts("notifications", "title") == ["long"])
            #expect(try house.notifications("alice")["unread"] == 1)
            #expect(try house.look { try $0.triggers.nextDue() } == nil)
        }
    }

    @Test func `the chosen language goes first, then the asking device's, then the last device's`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        func title(_ language: String?) throws -> [String] {
            try house.notifications("bob", language: language).texts("notifications", "title")
        }
        #expect(try title(nil) == ["New follower"])
        try house.write(RegisterUser(user("bob"), deviceLanguage: LanguageTag("it")), by: "server")
        #expect(try title(nil) == ["Nuovo follower"])
        #expect(try title("en") == ["New follower"])
        try house.write(ChangePreferences(["locale": "it-CH"]), by: "bob")
        #expect(try title("en") == ["Nuovo follower"])
    }
}

struct PreferencesTests {
    @Test func `a locale is stored in canonical form, sent to every device, and read back`() throws {
        let house = try House()
        let alice = try house.connect("alice")
        #expect(try house.read(ReadPreferences(), by: "alice")["locale"] == .null)
        #expect(try house.write(ChangePreferences(["locale": "IT-ch"]), by: "alice")["locale"] == "it-CH")
        #expect(try house.read(ReadPreferences(), by: "alice")["locale"] == "it-CH")
        #expect(alice.types == ["preferences"])
        #expect(alice.events[0]["preferences"]?["locale"] == "it-CH")
        #expect(alice.language?.text == "it-CH")
        let head = house.head
        #expect(try house.write(ChangePreferences(["locale": "it-CH"]), by: "alice")["locale"] == "it-CH")
        #expect(try house.write(ChangePreferences([:]), by: "alice")["locale"] == "it-CH")
        #expect(house.head == head)
        #expect(try house.write(ChangePreferences(["locale": nil]), by: "alice")["locale"] == .null)
        #expect(alice.language == nil)
    }

    @Test func `without a choice the device's language stays`() throws {
        let house = try House()
        try house.write(RegisterUser(user("alice"), deviceLanguage: LanguageTag("de")), by: "server")
        let alice = try house.connect("alice")
        #expect(alice.language?.text == "de")
    }

    @Test(
        arguments: [
            (["locale": "italiano!"], "set.locale"), (["locale": 1], "set.locale"), (["colour": "red"], "set.colour"),
        ] as [(JSONObject, String)]
    )
    func `an impossible preference names its field`(set: JSONObject, field: String) throws {
        let refused = try #require(throws: Refusal.self) { _ = try ChangePreferences(set) }
        #expect(refused.code == .badRequest)
        #expect(refused.field == field)
    }
}
