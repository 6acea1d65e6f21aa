import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

struct TriggerFiringTests {
    @Test func `a followed user is notified of a new follower, in the user's language`() throws {
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

    @Test func `ending a follow takes its notification back, and following again notifies again`() throws {
        let house = try House.filmNetwork()
        let bob = try house.connect("bob")
        try house.follow("alice", "user:bob")
        let first = bob.events.last?["id"]
        try house.follow("alice", "user:bob", isOn: false)
        try house.follow("alice", "user:bob")
        #expect(bob.types == ["notification", "notification.removed", "notification"])
        #expect(bob.events[1]["id"] == first)
        #expect(bob.events[1]["reason"] == "retracted")
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

    @Test func `a recommendation notifies its receiver, with its texts and data`() throws {
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
        let data: JSONObject = ["title": "The Odyssey", "job": "Director", "releaseDate": "2026-11-17"]
        let reply = try house.put("people/525/credits/movie/1", data)
        #expect(reply["triggers"]?.arrayValue?.last == ["trigger": "director-release", "notifications": 1])
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

    @Test func `an actor's film lies in the inbox, and rings nobody`() throws {
        let house = try House.filmNetwork()
        try house.put("people/525", ["name": "Tilda Swinton"])
        try house.follow("alice", "person:525")
        let film: JSONObject = ["title": "A", "job": "Actor", "releaseDate": "2026-11-17"]
        let reply = try house.put("people/525/credits/movie/1", film)
        #expect(
            reply["triggers"] == [
                ["trigger": "credit-release", "notifications": 1],
                ["trigger": "director-release", "skipped": "the condition is 0"],
            ])
        let told = try house.notifications("alice")
        #expect(told.texts("notifications", "level") == ["passive"])
        #expect(told.texts("notifications", "body") == ["Out now, with Tilda Swinton (Actor)."])
    }

    @Test func `a user who follows many times rings once a day for each person, and is in the inbox once`() throws {
        let house = try House.filmNetwork()
        let bob = try house.connect("bob")
        for _ in 1...5 {
            try house.follow("alice", "user:bob")
            try house.follow("alice", "user:bob", isOn: false)
        }
        #expect(bob.counts.notifications == 0)
        for name in ["alice", "carol"] { try house.follow(name, "user:bob") }
        let rung = bob.events.filter { $0["type"] == "notification" && $0["alert"] != false }
        #expect(rung.compactMap { $0["data"]?["user"]?.stringValue } == ["alice", "carol"])
        #expect(bob.counts.notifications == 2)
        try house.follow("alice", "user:bob", isOn: false)
        house.now = house.now.adding(milliseconds: 86_400_001)
        try house.follow("alice", "user:bob")
        #expect(bob.events.last?["alert"] != false)
    }

    @Test func `the write of a command has no document before, and an unfollow none after: SQL's NULL, not JSON's`()
        throws
    {
        let paths = [
            "users/{user}/followers/{follower}", "recommendations/{recommendation}", "chats/{chat}/messages/{message}",
        ]
        let house = try House(
            triggers: paths.enumerated().map { number, path in
                [
                    "name": .string("row-\(number)"), "event": "write", "path": .string(path), "audience": "user:carol",
                    "condition": "(before IS NULL) <> (after IS NULL)", "title": "T",
                ]
            })
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob")
        try house.follow("alice", "user:bob", isOn: false)
        let told = try house.notifications("carol").texts("notifications", "kind")
        #expect(told.sorted() == ["row-0", "row-0", "row-1", "row-2"])
    }

    @Test func `people are called by their names, and by their ids where they have none`() throws {
        let house = try House.filmNetwork()
        try house.put("users/Xk29fQpLw7Zb", ["name": "Giulia"])
        for follower in ["Xk29fQpLw7Zb", "nameless"] { try house.follow(follower, "user:bob") }
        #expect(
            try house.notifications("bob").texts("notifications", "body")
                == ["nameless started following you.", "Giulia started following you."])
    }

    @Test func `a follow, a review and a credit that are taken back take their notifications with them`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        try house.follow("alice", "person:525")
        try house.follow("carol", "user:alice")
        try house.put("reviews/r1", ["author": "alice", "text": "good"])
        try house.put("people/525/credits/movie/1", ["title": "A", "releaseDate": "2026-11-17"])
        let counts = { try ["alice", "bob", "carol"].map { try house.counts($0).notifications } }
        #expect(try counts() == [2, 1, 1])
        try house.follow("alice", "user:bob", isOn: false)
        #expect(try counts() == [2, 0, 1])
        try house.delete("reviews/r1")
        #expect(try counts() == [2, 0, 0])
        try house.delete("people/525/credits/movie/1")
        #expect(try counts() == [1, 0, 0], "that carol follows her is left")
    }

    @Test func `a season rings on the day of its first episode`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "series:tv/95396")
        let series: JSONObject = [
            "title": "Severance", "seasons": 2, "nextAirDate": "2026-12-01", "nextSeason": 3, "nextEpisode": 1,
        ]
        try house.put("series/tv/95396", series)
        #expect(try house.notifications("alice").texts("notifications", "title") == [])
        house.now = try #require(Timestamp("2026-12-01T09:00:01Z"))
        try house.write(FireDueTriggers(), by: "server")
        // The next episodes of the season are no news, the next season is.
        for (episode, date) in [(2, "2026-12-08"), (1, "2027-12-01")] {
            try house.document(
                "series/tv/95396", .patch(["nextEpisode": .integer(Int64(episode)), "nextAirDate": .string(date)]))
        }
        let told = try house.notifications("alice")
        #expect(told.texts("notifications", "title") == ["Severance: season 3 begins"])
        #expect(told.texts("notifications", "level") == ["active"])
        house.now = try #require(Timestamp("2027-12-01T09:00:01Z"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(
            try house.notifications("alice").texts("notifications", "title").count == 1, "it replaces the one before")
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

    @Test func `a later follower does not get earlier notifications`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "person:525")
        try house.put("people/525/credits/movie/1", ["title": "A", "releaseDate": "2026-11-17"])
        try house.follow("bob", "person:525")
        #expect(try house.notifications("bob")["notifications"] == [])
        try house.put("people/525/credits/movie/2", ["title": "B", "releaseDate": "2026-11-17"])
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
