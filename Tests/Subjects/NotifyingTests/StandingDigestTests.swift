import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import Testing

/// Digests that stay true while their notifications change, their texts, and their times.
struct StandingDigestTests {
    private let house: House

    init() throws {
        house = try House()
        house.now = try #require(Timestamp("2026-11-18T12:00:00Z"))
        try house.put(trigger: Self.goals)
        for name in ["alice", "bob"] { try house.follow(name, "team:roma") }
    }

    private static let goals: JSONValue = [
        "name": "goal", "event": "write", "path": "goals/{goal}", "audience": "followers:team:{after.team}",
        "kind": "goal", "title": "{{after.title}}", "alertOnce": true, "collapse": "goal:{{goal}}",
        "withdraw": "after IS NULL", "condition": "after IS NOT NULL",
        "digest": [
            "title": [
                "en":
                    "{{name}}{{^name}}{{id}}{{/name}}: {{count}} {{#plural(count)}}{{#one}}goal{{/one}}{{#other}}goals{{/other}}{{/plural(count)}}",
                "it": "{{#name}}{{name}}: {{/name}}{{number(count)}} gol",
            ]
        ],
    ]

    private func set(_ object: JSONObject, _ name: String = "alice") throws {
        try house.write(ChangePreferences(object), by: name)
    }

    private func tick(_ time: String) throws {
        house.now = try #require(Timestamp(time))
        try house.write(DeliverDue(), by: "server")
    }

    private func rules(_ table: JSONObject) throws {
        try house.write(PutRules(["rules": .object(table)], ifVersion: nil, key: nil), by: "admin")
    }

    private func goal(_ id: String, _ title: String, team: String = "roma") throws {
        try house.put("goals/\(id)", ["title": .string(title), "team": .string(team)])
    }

    private func list(_ name: String = "alice") throws -> [JSONValue] {
        try #require(try house.notifications(name)["notifications"]?.arrayValue)
    }

    private func digest(_ name: String = "alice") throws -> JSONValue? {
        try list(name).first { $0["kind"] == "digest" }
    }

    /// Checks that a device that resumes from a position gets the same events, and counts as the server does.
    private func checkResumed(_ device: LiveSession, _ name: String = "alice", after position: Position) throws {
        let user = try house.entry(name)
        let page = try house.look {
            try LogPage(of: user, after: position, deviceLanguage: nil, limit: 1000, in: $0)
        }
        #expect(try page.events.map { try JSONValue(parsing: $0.bytes) } == device.events, "live equals resumed")
        #expect(device.counts == (try house.counts(name)))
        #expect(try house.counts(name).notifications == Int64(list(name).count { $0["seen"] != true }))
    }

    @Test func `a notification that is taken back leaves its digest, and the last one takes the digest along`() throws {
        try set(["digest": ["goal": "daily 18:00"]])
        let alice = try house.connect("alice")
        let position = house.head
        for number in 1...3 { try goal("\(number)", "goal \(number)") }
        try tick("2026-11-18T18:00:00Z")
        #expect(try digest()?["title"] == "roma: 3 goals")
        try house.delete("goals/2")
        #expect(try house.look { try $0.digests.nextDue() } == Timestamp(milliseconds: 0))
        try tick("2026-11-18T18:00:01Z")
        #expect(try digest()?["title"] == "roma: 2 goals")
        #expect(try digest()?["body"] == "goal 3\ngoal 1")
        #expect(try digest()?["alert"] == false)
        #expect(try digest()?["reason"] == "updated")
        #expect(alice.events.last?["title"] == "roma: 2 goals", "and every device is told, in silence")
        for number in [1, 3] { try house.delete("goals/\(number)") }
        try tick("2026-11-18T18:00:02Z")
        #expect(try digest() == nil)
        #expect(try house.look { try $0.digests.nextDue() } == Timestamp("2026-11-19T18:00:00Z"))
        #expect(alice.events.last?["type"] == "notification.removed")
        #expect(alice.events.last?["reason"] == "retracted")
        try checkResumed(alice, after: position)
    }

    @Test(arguments: ["followers:team:roma", "user:alice"])
    func `a correction is in the digest that stands, and rings through none`(audience: String) throws {
        var row = try #require(Self.goals.objectValue)
        row["audience"] = .string(audience)
        try house.put(trigger: .object(row))
        try set(["digest": ["goal": "daily 18:00"]])
        let alice = try house.connect("alice")
        let position = house.head
        try goal("1", "1-0 Dybala")
        try goal("2", "2-0 Dovbyk")
        try tick("2026-11-18T18:00:00Z")
        #expect(alice.events.last?["alert"] == nil)
        let told = alice.events.count { $0["kind"] == "digest" }
        try goal("1", "1-0 Soulé")
        try tick("2026-11-18T18:00:01Z")
        #expect(try digest()?["body"] == "1-0 Soulé\n2-0 Dovbyk")
        #expect(try digest()?["data"]?["count"] == 2)
        let newest = try #require(try list().first { $0["title"] == "1-0 Soulé" })
        #expect(try digest()?["data"]?["items"]?.arrayValue?.first == newest["id"])
        try goal("1", "1-0 own goal")
        try tick("2026-11-18T18:00:02Z")
        #expect(try digest()?["body"] == "1-0 own goal\n2-0 Dovbyk")
        for day in 19...20 { try tick("2026-11-\(day)T18:00:00Z") }
        let digests = alice.events.filter { $0["kind"] == "digest" }
        #expect(digests.count == told + 2)
        #expect(digests.dropFirst().allSatisfy { $0["alert"] == false }, "no correction rang")
        try checkResumed(alice, after: position)
    }

    @Test func `a correction of a seen notification, or of one that rang, rings through no digest`() throws {
        try set(["digest": ["goal": ["every": 600]]])
        let alice = try house.connect("alice")
        try goal("1", "1-0")
        #expect(alice.events.last?["alert"] == nil)
        try goal("2", "2-0")
        try house.seen("alice", upTo: house.head.value)
        try goal("1", "1-0 corrected")
        try goal("2", "2-0 corrected")
        for minute in [10, 20, 30] { try tick("2026-11-18T12:\(minute):00Z") }
        #expect(!alice.events.contains { $0["kind"] == "digest" })
    }

    @Test func `a notification that is corrected before its digest is in the digest as corrected`() throws {
        try set(["digest": ["goal": "daily 18:00"]])
        let alice = try house.connect("alice")
        try goal("1", "1-0 Dybala")
        try goal("1", "1-0 Soulé")
        try tick("2026-11-18T18:00:00Z")
        #expect(try digest()?["body"] == "1-0 Soulé")
        #expect(alice.events.last?["alert"] == nil)
    }

    @Test func `a digest that was read is corrected, and stays read`() throws {
        try set(["digest": ["goal": "daily 18:00"]])
        let alice = try house.connect("alice")
        let position = house.head
        for number in 1...2 { try goal("\(number)", "goal \(number)") }
        try tick("2026-11-18T18:00:00Z")
        try house.seen("alice", upTo: house.head.value)
        try house.delete("goals/1")
        try tick("2026-11-18T18:00:01Z")
        #expect(try digest()?["title"] == "roma: 1 goal")
        #expect(try digest()?["seen"] == true)
        #expect(alice.counts.notifications == 0)
        try checkResumed(alice, after: position)
    }

    @Test func `a correction while quiet hours hold the digest rings for nobody when they end`() throws {
        try set(["quietHours": ["from": "17:00", "to": "20:00"], "digest": ["goal": "daily 18:00"]])
        let alice = try house.connect("alice")
        let position = house.head
        for number in 1...2 { try goal("\(number)", "goal \(number)") }
        try tick("2026-11-18T18:00:00Z")
        #expect(try digest()?["reason"] == "quiet-hours")
        try tick("2026-11-18T20:00:00Z")
        let summary = try #require(alice.events.last)
        #expect(summary["title"] == "1 notification while you were away")
        #expect(summary["body"] == "roma: 2 goals")
        try house.delete("goals/1")
        try tick("2026-11-18T20:00:01Z")
        let digests = try list().filter { $0["kind"] == "digest" }
        #expect(Set(digests.map { $0["body"] }) == ["goal 2", "roma: 1 goal"])
        #expect(digests.allSatisfy { $0["alert"] == false })
        try tick("2026-11-19T20:00:00Z")
        #expect(alice.events.count { $0["kind"] == "digest" && $0["alert"] == nil } == 1)
        try checkResumed(alice, after: position)
    }

    @Test func `every means at most once in that time, over windows`() throws {
        try set(["digest": ["goal": ["every": 600]]])
        let alice = try house.connect("alice")
        func rings() -> Int { alice.events.count { $0["type"] == "notification" && $0["alert"] == nil } }
        try goal("1", "1")
        #expect(rings() == 1, "the first")
        try goal("2", "2")
        try tick("2026-11-18T12:10:00Z")
        #expect(rings() == 2, "the digest")
        house.now = try #require(Timestamp("2026-11-18T12:10:01Z"))
        try goal("3", "3")
        #expect(rings() == 2, "less than the time after the digest")
        #expect(alice.events.last?["reason"] == "digest")
        try tick("2026-11-18T12:19:59Z")
        #expect(rings() == 2)
        try tick("2026-11-18T12:20:00Z")
        #expect(rings() == 3)
        #expect(try digest()?["title"] == "roma: 1 goal")
        // A window without notifications is the last one.
        try tick("2026-11-18T12:30:00Z")
        #expect(rings() == 3)
        house.now = try #require(Timestamp("2026-11-18T12:30:01Z"))
        try goal("4", "4")
        #expect(rings() == 4, "the first of another")
    }

    @Test func `a digest has the texts of its row by language, with the name of the common subject`() throws {
        try set(["digest": ["goal": "daily 18:00"], "locale": "it"])
        try set(["digest": ["topic:team:roma": "daily 18:00"]], "bob")
        try house.follow("alice", "team:lazio")
        try house.put("teams/roma", ["name": "AS Roma"])
        try rules(["teams/{team}": "public"])
        let (alice, bob) = (try house.connect("alice"), try house.connect("bob"))
        try goal("1", "1-0")
        try tick("2026-11-18T18:00:00Z")
        #expect(alice.events.last?["title"] == "AS Roma: 1 gol")
        #expect(bob.events.last?["title"] == "AS Roma: 1 goal")
        try goal("2", "2-0")
        try goal("3", "0-1", team: "lazio")
        try tick("2026-11-19T18:00:00Z")
        #expect(alice.events.last?["title"] == "2 gol", "about two teams")
        try rules(["teams/{team}": "server"])
        try goal("4", "3-0")
        try tick("2026-11-20T18:00:00Z")
        #expect(bob.events.last?["title"] == "roma: 1 goal", "what one may not read is not said")
        // With notifications of another kind, the digest has the server's own words.
        try house.broadcast("team:roma", "A new coach")
        try goal("5", "4-0")
        try tick("2026-11-21T18:00:00Z")
        #expect(bob.events.last?["title"] == "2 new notifications")
        try rules(["teams/{team}": "public"])
        try goal("6", "5-0")
        try house.broadcast("team:roma", "A new stadium")
        try tick("2026-11-22T18:00:00Z")
        #expect(bob.events.last?["title"] == "AS Roma: 2 new notifications")
    }

    @Test(
        arguments: [
            (["digest": "x"], "digest"), (["digest": ["body": "x"]], "digest.title"),
            (["digest": ["title": ["en": "{{after.x}}"]]], "digest.title.en"),
            (["digest": ["title": "x", "sound": "y"]], "digest.sound"),
        ] as [(JSONObject, String)])
    func `a slip in the column is named when the row is put`(column: JSONObject, field: String) throws {
        var row = try #require(Self.goals.objectValue)
        row["digest"] = column["digest"]
        #expect(throws: (any Error).self) { try house.put(trigger: .object(row)) }
        do { try house.put(trigger: .object(row)) } catch { #expect("\(error)".contains(field), "\(error)") }
    }

    @Test func `the digests of many users are corrected in several turns`() throws {
        let names = (1...250).map { "fan\($0)" }
        for name in names {
            try house.follow(name, "team:roma")
            try set(["digest": ["goal": "daily 18:00"]], name)
        }
        for number in 1...2 { try goal("\(number)", "goal \(number)") }
        for second in 0...2 { try tick("2026-11-18T18:00:0\(second)Z") }
        try house.delete("goals/1")
        var turns = 0
        while try house.look({ try $0.digests.nextRevision() }) != nil {
            try tick("2026-11-18T18:01:00Z")
            turns += 1
        }
        #expect(turns == 2)
        for name in [names[0], names[249]] { #expect(try digest(name)?["title"] == "roma: 1 goal") }
    }
}
