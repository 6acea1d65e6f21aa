import Execution
import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol

/// `report`, and what moderators make of it.
struct ReportTests {
    /// alice has written eight messages to bob and one about another thing, which she has edited and deleted.
    private static func written(_ rows: [JSONValue] = []) throws -> House {
        let house = try House(triggers: rows)
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob", note: "m1")
        for number in 2...9 { try house.send("alice", "alice:bob", "m\(number)") }
        try house.edit("alice", "alice:bob", 7, "m7 edited")
        try house.delete("alice", "alice:bob", 7)
        return house
    }

    private static func show(_ house: House, _ id: Int64 = 1) throws -> JSONValue {
        try house.read(ReadReport(id), by: "admin")
    }

    private static func notices(_ house: House, _ name: String) throws -> [JSONValue] {
        (try house.notifications(name)["notifications"]?.arrayValue ?? []).filter { $0["kind"] == "moderation" }
    }

    @Test func `the message is copied with five before and after, and the texts that were taken`() throws {
        let house = try Self.written()
        let answer = try house.report("bob", "alice", in: "alice:bob", n: 7, .spam, reason: "ads")
        #expect(answer["report"] == "r1" && answer["seq"]?.integerValue != nil)
        try house.delete("alice", "alice:bob", 6)
        let shown = try Self.show(house)
        #expect(shown["reporter"] == "bob" && shown["user"] == "alice" && shown["category"] == "spam")
        #expect(shown["chat"] == "alice:bob" && shown["n"] == 7 && shown["reason"] == "ads" && shown["state"] == "open")
        let messages = try #require(shown["messages"]?.arrayValue)
        #expect(messages.map { $0["n"]?.integerValue } == [2, 3, 4, 5, 6, 7, 8, 9])
        #expect(messages[4]["text"] == "m6", "what is deleted later stays in the copy")
        #expect(messages[5]["text"] == nil && messages[5]["deletedAt"] != nil)
        #expect(messages[5]["past"]?.arrayValue?.map { $0["text"] } == ["m7", "m7 edited"])
    }

    @Test func `the copy has a bound, however often and however long messages were edited`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        // Six bytes a character in JSON, and four.
        let long = [
            String(repeating: "\u{1}", count: Limits.messageCharactersMax),
            String(repeating: "\u{1F600}", count: Limits.messageCharactersMax),
        ]
        for number in 0..<11 { try house.send("alice", number == 0 ? "bob" : "alice:bob", long[number % 2]) }
        for number in 2...61 { try house.edit("alice", "alice:bob", 6, long[number % 2]) }
        try house.edit("alice", "alice:bob", 6, "harmless")
        for number in 1...3 { try house.edit("alice", "alice:bob", 5, "other \(number)") }
        try house.report("bob", "alice", in: "alice:bob", n: 6)
        let copy = try #require(try house.look { try $0.reports.find(1) }?.copy)
        #expect(copy.utf8.count <= ModerationLimits.reportedBytesMax)
        let messages = try #require(try Self.show(house)["messages"]?.arrayValue)
        #expect(messages.map { $0["n"]?.integerValue } == Array(1...11))
        let reported = messages[5]
        #expect(reported["text"] == "harmless")
        let past = try #require(reported["past"]?.arrayValue)
        #expect(past.count >= 1 && past.last?["rev"] == 61 && past.last?["text"] == .string(long[1]))
        #expect(reported["omitted"]?.integerValue == 61 - Int64(past.count))
        #expect(messages[4]["text"] == "other 3" && messages[4]["past"] == nil && messages[4]["omitted"] == 3)
    }

    @Test func `a report copies the newest twenty of many short texts`() throws {
        let house = try Self.written()
        for number in 1...100 { try house.edit("alice", "alice:bob", 8, "edit \(number)") }
        try house.report("bob", "alice", in: "alice:bob", n: 8)
        let reported = try #require(try Self.show(house)["messages"]?.arrayValue?.first { $0["n"] == 8 })
        let past = try #require(reported["past"]?.arrayValue)
        #expect(past.map { $0["text"] } == (80...99).map { .string("edit \($0)") })
        #expect(reported["text"] == "edit 100" && reported["omitted"] == 80)
        try house.report("bob", "alice", in: "alice:bob", n: 2)
        #expect(try Self.show(house, 2)["messages"]?.arrayValue?.allSatisfy { $0["past"] == nil } == true)
    }

    @Test func `only readers may report, and only something that exists and is the user's`() throws {
        let house = try Self.written()
        for name in ["bob", "carol"] { _ = try house.actor(name) }
        let people = ["alice", "bob", "carol"]
        func refused(_ name: String, _ other: String, _ chat: String?, _ n: Int64?) throws -> Refusal {
            try house.refusal(of: people) { try house.report(name, other, in: chat, n: n) }
        }
        #expect(try refused("carol", "alice", "alice:bob", 1).code == .forbidden)
        let missing = try refused("bob", "alice", "alice:bob", 99)
        #expect(missing.code == .notFound && missing.field == "n")
        let foreign = try refused("alice", "bob", "alice:bob", 1)
        #expect(foreign.code == .badRequest && foreign.field == "n")
        #expect(try refused("bob", "bob", nil, nil).field == "user")
        #expect(try refused("bob", "ghost", nil, nil).code == .notFound)
    }

    @Test func `the same twice is one; another person's is another`() throws {
        let house = try Self.written()
        try house.report("bob", "alice", in: "alice:bob", n: 1, .spam)
        #expect(try house.report("bob", "alice", in: "alice:bob", n: 1, .hate)["report"] == "r1")
        #expect(try house.report("bob", "alice", in: "alice:bob", n: 2)["report"] == "r2")
        #expect(try house.report("bob", "alice")["report"] == "r3")
        #expect(try house.report("carol", "alice")["report"] == "r4")
        #expect(
            try house.read(ListReports(state: nil, category: nil, user: nil, before: nil, limit: 50), by: "admin")[
                "reports"]?.arrayValue?.count == 4)
    }

    @Test func `fifty a day, which a restart does not forget`() throws {
        let house = try House()
        for number in 1...51 { _ = try house.actor("u\(number)") }
        for number in 1...50 { try house.report("bob", "u\(number)") }
        let refused = try house.refusal(of: ["bob"]) { try house.report("bob", "u51") }
        #expect(refused.code == .rateLimited && refused.retryAfterMilliseconds == 86_400_000)
        #expect(try house.report("bob", "u50")["report"] == "r50", "the same is no further one")
        house.now = house.now.adding(milliseconds: 86_400_000)
        #expect(try house.report("bob", "u51")["report"] == "r51")
    }

    @Test func `a document without reporter and words comes with it, and rings the moderators`() throws {
        let house = try Self.written()
        for row in try House.rows("moderation") { try house.put(trigger: row) }
        try house.follow("mod", "team:moderators")
        try house.report("bob", "alice", in: "alice:bob", n: 1, .violence, reason: "secret words")
        let document = try house.read(ReadDocument(DocumentPath("reports/r1")), by: "admin")
        #expect(
            document["data"] == [
                "user": "alice", "category": "violence", "at": .string(house.now.text), "state": "open",
                "chat": "alice:bob", "n": 1,
            ])
        let ring = try #require(try house.notifications("mod")["notifications"]?.arrayValue?.first)
        #expect(ring["level"] == "time-sensitive" && ring["data"] == ["report": "r1", "category": "violence"])
        try house.decide(1, .dismiss)
        let after = try #require(try house.notifications("mod")["notifications"]?.arrayValue)
        #expect(after.map { $0["title"] } == ["A report was decided"], "it replaces the one that rang")
    }

    @Test func `both sides get statements that nobody can mute, and neither note nor reporter`() throws {
        let house = try Self.written()
        for name in ["alice", "bob"] {
            try house.write(
                ChangePreferences(["mute": ["all": true], "kinds": ["moderation": ["deliver": "silent"]]]),
                by: name)
        }
        try house.report("bob", "alice", in: "alice:bob", n: 2)
        #expect(try Self.notices(house, "bob").map { $0["title"] } == ["Your report was received"])
        let until = house.now.adding(milliseconds: 1000)
        try house.decide(1, .mute, until: until, "insults; object at h@e.org", note: "third time")
        let (alice, bob) = (try Self.notices(house, "alice"), try Self.notices(house, "bob"))
        #expect(alice.count == 1 && bob.count == 1)
        #expect(alice[0]["body"] == "insults; object at h@e.org" && alice[0]["level"] == "active")
        #expect(alice[0]["title"] == .string("You may not write to others until \(until.text)"))
        #expect(alice[0]["alert"] == nil && bob[0]["alert"] == nil, "they interrupt")
        #expect(bob[0]["data"] == ["report": "r1", "state": "decided", "acted": true])
        let all =
            try (alice + bob).map(\.text).joined()
            + house.read(ReadDocument(DocumentPath("reports/r1")), by: "admin").text
        #expect(!all.contains("third time"))
        #expect(!alice[0].text.contains("bob") && !alice[0].text.contains("r1"))
        #expect(try house.refusal { try house.send("alice", "alice:bob") }.message.contains("insults"))
        let shown = try Self.show(house)
        #expect(shown["note"] == "third time" && shown["by"] == "admin" && shown["action"] == "mute")
        #expect(shown["until"] == .string(until.text) && shown["state"] == "decided")
    }

    @Test func `a dismissal tells the reporter alone; reports on the same are decided together, once`() throws {
        let house = try Self.written()
        for name in ["bob", "carol", "dave"] { try house.report(name, "alice") }
        try house.report("bob", "alice", in: "alice:bob", n: 1)
        let decided = try house.decide(2, .dismiss, "within the rules")
        #expect(decided["reports"] == ["r1", "r2", "r3"])
        #expect(try Self.notices(house, "alice").isEmpty)
        for name in ["carol", "dave"] {
            #expect(try Self.notices(house, name).map { $0["body"] } == ["within the rules"])
        }
        let again = try house.refusal { try house.decide(3, .ban) }
        #expect(again.code == .conflict && again.field == "report")
        func listed(_ state: String?, _ category: String? = nil) throws -> [JSONValue] {
            try house.read(
                ListReports(state: state, category: category, user: "alice", before: nil, limit: 50), by: "admin")[
                    "reports"]?.arrayValue?.compactMap { $0["report"] } ?? []
        }
        #expect(try listed("open") == ["r4"] && listed("decided") == ["r3", "r2", "r1"])
        #expect(try listed(nil).count == 4 && listed(nil, "spam").isEmpty)
        #expect(try house.refusal { try house.decide(9, .warn) }.code == .notFound)
    }

    @Test func `a message that moderators delete is gone for everybody, and no user is named`() throws {
        let house = try Self.written()
        let bob = try house.connect("bob")
        try house.report("bob", "alice", in: "alice:bob", n: 9)
        try house.decide(1, .delete)
        let event = try #require(bob.events.first { $0["type"] == "message.deleted" })
        #expect(event["n"] == 9 && event["user"] == nil && event["reason"] == "moderated")
        #expect(try house.history("alice", "alice:bob")["messages"]?.arrayValue?.last?["deleted"] == true)
        #expect(try house.counts("bob").chats == 1)
        #expect(try Self.show(house)["messages"]?.arrayValue?.last?["text"] == "m9")
        try house.report("bob", "alice")
        let refused = try house.refusal { try house.decide(2, .delete) }
        #expect(refused.code == .badRequest && refused.field == "action")
    }

    @Test func `a ban is a decision, too; reports go after their time, with their documents`() throws {
        let house = try Self.written()
        try house.report("bob", "alice")
        try house.decide(1, .ban, "threats")
        #expect(try house.look { try $0.restrictions.keptOut() }.map(\.reason) == ["threats"])
        house.now = house.now.adding(milliseconds: 1000)
        try house.report("bob", "alice")
        try house.write(SweepReports(keptMilliseconds: 1000), by: "server")
        #expect(try house.refusal { try Self.show(house) }.code == .notFound)
        #expect(try Self.show(house, 2)["state"] == "open")
        #expect(throws: Refusal.self) { try house.read(ReadDocument(DocumentPath("reports/r1")), by: "admin") }
    }
}
