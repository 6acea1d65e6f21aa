import ClientProtocol
import JSON
import Model
import Services
import Store
import Testing

struct TriggerFiringTests {
    @Test func `a new follower is told to the followed one, in his language`() throws {
        let house = try House.filmNetwork()
        let bob = try house.connect("bob")
        try house.follow("alice", "user:bob")
        #expect(bob.types == ["notification"])
        let event = try #require(bob.events.first)
        #expect(event["kind"] == "follower")
        #expect(event["level"] == "active")
        #expect(event["title"] == "New follower")
        #expect(event["body"] == "alice started following you.")
        #expect(event["data"] == ["user": "alice"])
        #expect(event["topic"] == "user:bob")
        #expect(event["at"] == .string(house.now.text))
        #expect(event["expires"] == .string(house.now.adding(milliseconds: 2_592_000_000).text))
        #expect(event["id"] == .string("n\(house.head.value)"))
        #expect(bob.counts.notifications == 1)
        #expect(try house.notifications("bob", language: "it").texts("notifications", "title") == ["Nuovo follower"])
    }

    @Test func `following a star again replaces the notification instead of adding one`() throws {
        let house = try House.filmNetwork()
        let bob = try house.connect("bob")
        try house.follow("alice", "user:bob")
        let first = bob.events.last?["id"]
        try house.follow("alice", "user:bob", isOn: false)
        try house.follow("alice", "user:bob")
        #expect(bob.types == ["notification", "notification.removed", "notification"])
        #expect(bob.events[1]["id"] == first)
        #expect(bob.events[1]["reason"] == "replaced")
        #expect(try house.notifications("bob").texts("notifications", "kind") == ["follower"])
        #expect(bob.counts.notifications == 1)
    }

    @Test func `a follow written as a document fires the same, and reports it`() throws {
        let house = try House.filmNetwork()
        let reply = try house.put("users/bob/followers/alice", [:])
        #expect(reply["triggers"] == [["trigger": "new-follower", "notifications": 1]])
        let again = try house.put("users/bob/followers/alice", [:])
        #expect(again["triggers"] == [])
        #expect(try house.counts("bob").notifications == 1)
    }

    @Test func `a recommendation is told to the one it is for, with its texts and data`() throws {
        let house = try House.filmNetwork()
        let bob = try house.connect("bob")
        let alice = try house.connect("alice")
        try house.follow("alice", "user:bob")
        bob.forget()
        try house.recommend("alice", "bob", note: "Now!")
        #expect(bob.types == ["message", "notification"])
        #expect(bob.events[1]["title"] == "alice recommends The Matrix")
        #expect(bob.events[1]["body"] == "Now!")
        #expect(bob.events[1]["data"]?["recommendation"] == "alice:bob-1")
        #expect(alice.types == ["followed", "message"])
        let italian = try house.notifications("bob", language: "it")
        #expect(italian.texts("notifications", "title").first == "alice ti consiglia The Matrix")
    }

    @Test func `a director's release is one row, whatever the number of followers, and comes once`() throws {
        let house = try House.filmNetwork()
        let fans = try (1...20).map { try house.connect("fan\($0)") }
        let other = try house.connect("other")
        for number in 1...20 { try house.follow("fan\(number)", "person:525") }
        let count = try house.look { try $0.log.count() }
        let data: JSONObject = ["title": "The Odyssey", "job": "Director", "releaseDate": "2026-01-01"]
        let reply = try house.put("people/525/credits/movie/1", data)
        #expect(reply["triggers"] == [["trigger": "director-release", "notifications": 1]])
        #expect(try house.look { try $0.log.count() } == count + 2, "the document and one notification")
        #expect(fans.allSatisfy { $0.types == ["followed", "notification"] && $0.counts.notifications == 1 })
        #expect(fans[0].events[1]["title"] == "New release: The Odyssey")
        #expect(other.received.isEmpty)
        let again = try house.put("people/525/credits/movie/1", data)
        #expect(again["triggers"] == [])
        #expect(again["version"] == 1)
        #expect(again.seq == reply.seq)
        #expect(fans.allSatisfy { $0.counts.notifications == 1 })
        #expect(
            try house.notifications("fan3", language: "it").texts("notifications", "title")
                == ["Nuova uscita: The Odyssey"]
        )
    }

    @Test func `an actor's film is no director's`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "person:525")
        let reply = try house.put("people/525/credits/movie/1", ["title": "A", "job": "Actor"])
        #expect(reply["triggers"]?.arrayValue?.first?["skipped"] == "the condition is 0")
        #expect(try house.counts("alice").notifications == 0)
    }

    @Test func `a new season and a review reach the followers, a changed title does not`() throws {
        let house = try House.filmNetwork()
        let alice = try house.connect("alice")
        try house.follow("alice", "series:tv/95396")
        try house.follow("alice", "user:bob")
        alice.forget()
        try house.put("series/tv/95396", ["title": "Severance", "seasons": 2])
        try house.document("series/tv/95396", .patch(["title": "Severance!"]))
        #expect(alice.received.isEmpty)
        try house.document("series/tv/95396", .patch(["seasons": 3]))
        #expect(alice.events.compactMap { $0["title"]?.stringValue } == ["Severance!: new season"])
        try house.put("reviews/r1", ["author": "bob", "product": ["title": "Heat"], "rating": 5, "text": "Great"])
        #expect(alice.events.last?["body"] == "Heat · 5 out of 5 · Great")
        #expect(alice.events.last?["level"] == "passive")
    }

    @Test func `who follows later does not get what came before`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "person:525")
        try house.put("people/525/credits/movie/1", ["title": "A"])
        try house.follow("bob", "person:525")
        #expect(try house.notifications("bob")["notifications"] == [])
        try house.put("people/525/credits/movie/2", ["title": "B"])
        #expect(try house.counts("bob").notifications == 1)
        #expect(try house.counts("alice").notifications == 2)
    }

    private static func failing(_ name: String) -> JSONValue {
        [
            "name": .string(name), "event": "write", "path": "items/{item}", "audience": "user:{after.owner}",
            "title": "x",
        ]
    }

    @Test func `a failing trigger leaves the write and the others, and lands among the dead`() throws {
        let good: JSONValue = [
            "name": "b-good", "event": "write", "path": "items/{item}", "audience": "user:alice", "title": "ok",
        ]
        let house = try House(triggers: [Self.failing("a-bad"), good, Self.failing("c-bad")])
        let reply = try house.put("items/1", ["owner": "no user id"])
        #expect(try house.read(ReadDocument(DocumentPath("items/1")), by: "admin")["version"] == 1)
        let reports = reply["triggers"]?.arrayValue ?? []
        #expect(reports.map { $0["trigger"]?.stringValue } == ["a-bad", "b-good", "c-bad"])
        #expect(reports[0]["failed"]?.stringValue?.hasPrefix("audience: ") == true)
        #expect(reports[1]["notifications"] == 1)
        #expect(try house.counts("alice").notifications == 1)
        let dead = try house.read(ListDead(before: nil, limit: 1), by: "admin")
        #expect(dead.texts("dead", "trigger") == ["c-bad"])
        #expect(dead.texts("dead", "path") == ["items/1"])
        #expect(dead.integers("dead", "seq") == [try #require(reply.seq)])
        let rest = try house.read(ListDead(before: #require(dead["next"]?.stringValue), limit: 1), by: "admin")
        #expect(rest.texts("dead", "trigger") == ["a-bad"])
        #expect(rest["next"] == nil)
    }

    @Test func `a message's trigger notifies every member of its chat`() throws {
        let house = try House(triggers: [
            [
                "name": "said", "event": "create", "path": "chats/{chat}/messages/{n}", "audience": "chat:{chat}",
                "title": "{{after.from}}: {{after.text}}",
            ]
        ])
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob", "hello")
        for name in ["alice", "bob"] {
            #expect(try house.notifications(name).texts("notifications", "title") == ["alice: hello"])
            #expect(try house.notifications(name).texts("notifications", "topic") == ["user:\(name)"])
        }
    }
}
