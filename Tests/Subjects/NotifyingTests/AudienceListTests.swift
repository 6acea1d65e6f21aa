import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import TestSupport
import Testing
import TriggerExecution

@testable import ClientProtocol

/// `audience` as a list: each person gets the notification once, in however many of the audiences the person is.
struct AudienceListTests {
    private static let goal: JSONObject = [
        "name": "goal", "event": "write", "path": "goals/{goal}", "condition": "after IS NOT NULL",
        "audience": ["followers:team:{after.home}", "followers:team:{after.away}", "followers:match:{after.match}"],
        "collapse": "goal:{{goal}}", "withdraw": "after IS NULL",
        "title": "{{after.home}} - {{after.away}} {{after.score}}",
    ]
    private static let derby: JSONObject = ["home": "roma", "away": "lazio", "match": "m1", "score": "1:0"]

    private static func house(_ more: JSONObject = [:]) throws -> House {
        var row = goal
        for (name, value) in more.members { row[name] = value }
        let house = try House(triggers: [.object(row)])
        for topic in ["team:roma", "team:lazio", "match:m1"] { try house.follow("alice", topic) }
        try house.follow("bob", "team:lazio")
        _ = try house.actor("carol")
        return house
    }

    /// The events of a device that missed all of it.
    private static func resumed(_ house: House, _ name: String) throws -> [JSONValue] {
        let user = try house.entry(name)
        let page = try house.look {
            try LogPage(of: user, after: .zero, deviceLanguage: nil, limit: 100, in: $0)
        }
        return try page.events.map { try JSONValue(parsing: $0.bytes) }
    }

    private static func ids(_ events: [JSONValue]) -> [String] {
        events.filter { $0["type"] == "notification" }.compactMap { $0["id"]?.stringValue }
    }

    @Test func `a derby rings once, lies once in the inbox and counts once`() throws {
        let house = try Self.house()
        let (alice, bob, carol) = (try house.connect("alice"), try house.connect("bob"), try house.connect("carol"))
        let reply = try house.put("goals/1", Self.derby)
        #expect(reply["triggers"] == [["trigger": "goal", "notifications": 1]])
        #expect(alice.types == ["notification"] && bob.types == ["notification"] && carol.types == [])
        #expect(alice.events[0]["topic"] == "team:roma")
        #expect(alice.events[0]["topics"] == ["team:roma", "team:lazio", "match:m1"])
        for (name, session) in [("alice", alice), ("bob", bob)] {
            #expect(session.counts.notifications == 1)
            let list = try house.notifications(name)
            #expect(list["unread"] == 1)
            #expect(list.texts("notifications", "id") == Self.ids(session.events))
            #expect(try Self.ids(Self.resumed(house, name)) == Self.ids(session.events))
        }
        #expect(try house.notifications("carol")["notifications"] == [])
    }

    @Test func `a correction replaces it for everybody, and a deletion takes it from everybody`() throws {
        let house = try Self.house()
        let sessions = [try house.connect("alice"), try house.connect("bob")]
        try house.put("goals/1", Self.derby)
        var corrected = Self.derby
        corrected["score"] = "2:0"
        try house.put("goals/1", corrected)
        for session in sessions {
            #expect(session.types == ["notification", "notification.removed", "notification"])
            #expect(session.counts.notifications == 1)
        }
        #expect(try house.notifications("bob").texts("notifications", "title") == ["roma - lazio 2:0"])
        try house.delete("goals/1")
        for (name, session) in zip(["alice", "bob"], sessions) {
            #expect(session.types.last == "notification.removed")
            #expect(session.counts.notifications == 0)
            #expect(try house.notifications(name)["notifications"] == [])
            #expect(try Self.resumed(house, name).filter { $0["type"] != "followed" } == session.events)
        }
    }

    @Test func `a follow that ends takes what came by it alone, and leaves what another brought`() throws {
        let house = try Self.house()
        try house.put("goals/1", Self.derby)
        try house.follow("alice", "team:roma", isOn: false)
        #expect(try house.counts("alice").notifications == 1)
        #expect(try house.notifications("alice").texts("notifications", "title").count == 1)
        try house.follow("alice", "match:m1", isOn: false)
        try house.follow("alice", "team:lazio", isOn: false)
        #expect(try house.counts("alice").notifications == 0)
        #expect(try house.notifications("alice")["notifications"] == [])
        #expect(try Self.ids(Self.resumed(house, "alice")).count == 1, "the log tells what came while it was followed")
    }

    @Test func `one notification of the list is seen and snoozed for all its topics`() throws {
        let house = try Self.house()
        try house.put("goals/1", Self.derby)
        let bob = try house.notifications("bob").texts("notifications", "id")
        #expect(try house.seen("bob", ids: bob)["unread"] == 0)
        #expect(try house.counts("alice").notifications == 1)
        let until = house.now.adding(milliseconds: 60_000)
        try house.write(SnoozeNotifications(SnoozeCommand(ids: bob, until: until)), by: "alice")
        #expect(try house.counts("alice").notifications == 0)
    }

    @Test func `the mute of any of the topics wins`() throws {
        let house = try Self.house()
        try house.write(ChangePreferences(["mute": ["topics": ["team:lazio": true]]]), by: "alice")
        let alice = try house.connect("alice")
        try house.put("goals/1", Self.derby)
        #expect(alice.events[0]["reason"] == "muted")
        #expect(try house.notifications("alice")["notifications"]?.arrayValue?.first?["reason"] == "muted")
        #expect(try Self.resumed(house, "alice").last?["reason"] == "muted")
    }

    @Test func `a named user has one notification in the inbox, and not that of the topics`() throws {
        let house = try Self.house(["audience": ["followers:team:{after.home}", "user:{after.scorer}", "user:alice"]])
        let (alice, carol) = (try house.connect("alice"), try house.connect("carol"))
        try house.follow("bob", "team:roma")
        let bob = try house.connect("bob")
        var goal = Self.derby
        goal["scorer"] = "carol"
        #expect(try house.put("goals/1", goal)["triggers"] == [["trigger": "goal", "notifications": 3]])
        for (name, session) in [("alice", alice), ("bob", bob), ("carol", carol)] {
            #expect(session.types == ["notification"])
            #expect(session.counts.notifications == 1)
            let list = try house.notifications(name)
            #expect(list["unread"] == 1)
            #expect(list.texts("notifications", "id") == Self.ids(session.events))
            #expect(try Self.ids(Self.resumed(house, name)) == Self.ids(session.events))
        }
        #expect(try house.notifications("alice").texts("notifications", "topic") == ["user:alice"])
        #expect(try house.notifications("bob").texts("notifications", "topic") == ["team:roma"])
        try house.delete("goals/1")
        for session in [alice, bob, carol] { #expect(session.counts.notifications == 0) }
    }

    @Test func `audiences that come to the same are one`() throws {
        let house = try Self.house()
        var own = Self.derby
        own["away"] = "roma"
        let bob = try house.connect("bob")
        try house.follow("bob", "team:roma")
        try house.put("goals/1", own)
        #expect(bob.events.last?["topics"] == ["team:roma", "match:m1"])
        try house.put(trigger: .object(Self.with(["audience": ["user:bob", "user:{after.home}", "everyone"]])))
        var named = Self.derby
        named["home"] = "bob"
        bob.forget()
        try house.put("goals/2", named)
        #expect(bob.types == ["notification"])
        #expect(bob.events[0]["topic"] == "everyone")
    }

    private static func with(_ more: JSONObject) -> JSONObject {
        var row = goal
        for (name, value) in more.members { row[name] = value }
        return row
    }

    @Test func `run again it tells nobody twice, also where the list has grown`() throws {
        let house = try Self.house(["audience": ["followers:team:{after.home}", "followers:match:{after.match}"]])
        try house.put("goals/1", Self.derby)
        func replay() throws -> JSONValue {
            let range = try ReplayRange(name: "goal", from: 1, to: house.head.value, limit: nil)
            return try house.write(ReplayTrigger(range, key: nil), by: "admin")
        }
        _ = try replay()
        #expect(try house.counts("alice").notifications == 1 && house.counts("bob").notifications == 0)
        try house.put(trigger: .object(Self.goal))
        _ = try replay()
        #expect(try house.counts("alice").notifications == 2, "by lazio, which nobody was told of")
        #expect(try house.counts("bob").notifications == 1)
        _ = try replay()
        #expect(try house.counts("bob").notifications == 1)
    }

    @Test func `a schedule for a list notifies the list`() throws {
        let house = try Self.house(["at": "after ->> 'at'"])
        var later = Self.derby
        later["at"] = .string(house.now.adding(milliseconds: 60_000).text)
        try house.put("goals/1", later)
        let alice = try house.connect("alice")
        house.now = house.now.adding(milliseconds: 61_000)
        try house.write(FireDueTriggers(), by: "server")
        #expect(alice.types == ["notification"] && alice.counts.notifications == 1)
        #expect(try house.counts("bob").notifications == 1)
    }

    @Test func `a test of the trigger counts each person once, and explain names all topics`() throws {
        let house = try Self.house()
        let test = try TestTrigger(name: "goal", body: ["path": "goals/1", "after": .object(Self.derby)])
        let answer = try house.read(test, by: "admin")
        #expect(answer["audience"]?["size"] == 2)
        #expect(answer["audience"]?["to"] == "followers:team:roma, followers:team:lazio, followers:match:m1")
        #expect(answer.texts("recipients", "user").sorted() == ["alice", "bob"])
        try house.put("goals/1", Self.derby)
        let id = try #require(try house.notifications("bob").texts("notifications", "id").first)
        let told = try house.read(ExplainNotification(id: id, user: user("bob")), by: "admin")
        let steps = told["trail"]?.arrayValue ?? []
        #expect(steps.contains { $0["says"]?.stringValue?.contains("team:roma and team:lazio and match:m1") == true })
        #expect(steps.contains { $0["says"]?.stringValue?.contains("bob has followed team:lazio") == true })
        let other = try house.read(ExplainNotification(id: id, user: user("carol")), by: "admin")
        #expect("\(other)".contains("nobody follows") || "\(other)".contains("carol does not follow"))
    }

    @Test func `a stream that only such a row leads to is not swept away, and trimming leaves what stands`() throws {
        let house = try Self.house()
        try house.put("goals/1", Self.derby)
        try house.put("goals/2", Self.derby)
        try house.delete("goals/2")
        house.now = house.now.adding(milliseconds: 10_000)
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 10_000)
        try house.trim(keeping: 1000)
        try house.follow("bob", "team:lazio", isOn: false)
        try house.write(SweepStreams(after: .nobody, watched: WatchedPaths()), by: "server")
        #expect(try house.notifications("alice").texts("notifications", "title") == ["roma - lazio 1:0"])
        #expect(try house.counts("alice").notifications == 1)
    }

    /// Random goals, follows and marks; for users with few and with many follows; checked at every step.
    @Test(arguments: Seeds.first(3, of: 8))
    func `counts, list and log agree, whatever happens`(seed: UInt64) throws {
        let house = try House(triggers: [
            .object(
                Self.with(["audience": ["followers:t:{after.home}", "followers:t:{after.away}", "user:{after.named}"]]))
        ])
        var random = SeededRandom(seed: seed)
        _ = try house.actor("few")
        for number in 0..<80 { try house.follow("many", "x:\(number)") }
        for name in ["few", "many"] { _ = try house.connect(name) }
        let from = house.head
        for _ in 0..<120 {
            let name = Bool.random(using: &random) ? "few" : "many"
            let numbers = [Int.random(in: 0..<4, using: &random), Int.random(in: 0..<4, using: &random)]
            let goal = "goals/\(Int.random(in: 0..<6, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                let named = ["few", "many", "other", "other"].randomElement(using: &random) ?? "other"
                try house.put(
                    goal,
                    ["home": .string("\(numbers[0])"), "away": .string("\(numbers[1])"), "named": .string(named)])
            case 5: _ = try? house.delete(goal)
            case 6, 7: try house.follow(name, "t:\(numbers[0])", isOn: Bool.random(using: &random))
            default: try house.seeSome(name, using: &random)
            }
            for name in ["few", "many"] { try house.checkAgreement(name, after: from) }
        }
    }

    @Test(arguments: ["any", "all"])
    func `a mute of one topic wins, or only those of all that are followed, as the row says`(mutes: String) throws {
        let house = try Self.house(["mutes": .string(mutes)])
        for (name, topics) in [
            ("alice", ["team:roma"]), ("bob", ["team:lazio"]), ("dora", ["team:roma", "team:lazio", "match:m1"]),
        ] {
            let muted = JSONObject(topics.map { (name: $0, value: .bool(true)) })
            try house.write(ChangePreferences(["mute": ["topics": .object(muted)]]), by: name)
        }
        for topic in ["team:roma", "match:m1"] { try house.follow("dora", topic) }
        let names = ["alice", "bob", "dora"]
        let sessions = try names.map { try house.connect($0) }
        try house.put("goals/1", Self.derby)
        let reasons: [JSONValue?] = mutes == "any" ? ["muted", "muted", "muted"] : [nil, "muted", "muted"]
        #expect(sessions.map { $0.events.first?["reason"] } == reasons)
        // Earlier decisions stay, whatever the user follows since.
        for topic in ["team:lazio", "match:m1"] { try house.follow("alice", topic, isOn: false) }
        try house.follow("bob", "team:roma")
        for (name, session) in zip(names, sessions) {
            let told = session.events.filter { $0["type"] == "notification" }
            #expect(try Self.resumed(house, name).filter { $0["type"] == "notification" } == told)
            let list = try #require(try house.notifications(name)["notifications"]?.arrayValue)
            #expect(list.map { $0["reason"] } == told.map { $0["reason"] })
        }
    }

    @Test func `mutes is any or all, and about topics`() throws {
        #expect(throws: (any Error).self) { try Self.house(["mutes": "some"]) }
        #expect(throws: (any Error).self) { try Self.house(["mutes": "all", "audience": "user:{after.home}"]) }
        let house = try Self.house(["mutes": "all", "audience": "followers:team:{after.home}"])
        let alice = try house.connect("alice")
        try house.put("goals/1", Self.derby)
        #expect(alice.types == ["notification"])
    }
}
