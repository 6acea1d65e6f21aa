import ClientProtocol
import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing

struct ChangePreferencesTests {
    @Test func `every member is always there, whether it was chosen or not`() throws {
        let house = try House()
        let whole: JSONValue = [
            "locale": nil, "timeZone": nil, "quietHours": nil, "mute": [:],
            "levels": ["active", "time-sensitive", "critical"], "kinds": [:], "digest": [:], "presence": "contacts",
            "invites": "contacts",
        ]
        #expect(try house.read(ReadPreferences(), by: "alice") == whole)
        let head = house.head
        #expect(try house.write(ChangePreferences(["mute": [:], "digest": nil]), by: "alice") == whole)
        #expect(house.head == head, "nothing was chosen")
    }

    @Test func `preferences are merged member by member, and null takes a member away`() throws {
        let house = try House()
        let alice = try house.connect("alice")
        func set(_ object: JSONObject) throws -> JSONValue {
            try house.write(ChangePreferences(object), by: "alice")
        }
        _ = try set(["timeZone": "Europe/Rome", "quietHours": ["from": "22:00", "to": "07:00"], "locale": "it"])
        _ = try set(["mute": ["topics": ["person:1": true, "person:2": "2027-01-01T00:00:00Z"], "kinds": ["a": true]]])
        let changed = try set(["quietHours": ["from": "23:00"], "mute": ["topics": ["person:1": nil]], "locale": nil])
        #expect(changed["quietHours"] == ["from": "23:00", "to": "07:00"])
        #expect(changed["mute"] == ["topics": ["person:2": "2027-01-01T00:00:00Z"], "kinds": ["a": true]])
        #expect(changed["timeZone"] == "Europe/Rome")
        #expect(changed["locale"] == .null)
        #expect(alice.types == ["preferences", "preferences", "preferences"])
        #expect(alice.events.last?["preferences"] == changed)
        #expect(try house.read(ReadPreferences(), by: "alice") == changed)
        let cleared = try set(["quietHours": nil, "mute": nil, "timeZone": nil])
        #expect(cleared["mute"] == [:])
        #expect(try house.entry("alice").preferences == nil)
    }

    @Test func `a mute that is over goes with the next change, and ends by itself before`() throws {
        let house = try House()
        let until = house.now.adding(milliseconds: 60_000).text
        try house.write(ChangePreferences(["mute": ["topics": ["person:1": .string(until)]]]), by: "alice")
        try house.follow("alice", "person:1")
        try house.broadcast("person:1", "quiet")
        house.now = house.now.adding(milliseconds: 60_000)
        try house.broadcast("person:1", "loud")
        let list = try #require(try house.notifications("alice")["notifications"]?.arrayValue)
        #expect(list.map { $0["title"] } == ["loud", "quiet"])
        #expect(list.map { $0["alert"] } == [nil, false])
        #expect(list[1]["reason"] == "muted")
        #expect(try house.write(ChangePreferences(["locale": "it"]), by: "alice")["mute"] == [:])
    }

    @Test(arguments: ["\u{0}", "\u{0}\u{1b}[2J", "\n", "\u{1}", " "])
    func `a time zone with control characters is refused, also when the zone without them is in use`(end: String) throws
    {
        let house = try House()
        try house.write(ChangePreferences(["timeZone": "Europe/Rome"]), by: "alice")
        let refused = try house.refusal {
            try house.write(ChangePreferences(["timeZone": .string("Europe/Rome" + end)]), by: "alice")
        }
        #expect(refused.code == .badRequest)
        #expect(refused.field == "set.timeZone")
    }

    @Test(
        arguments: [
            (["timeZone": "Mars/Olympus"], "set.timeZone"), (["timeZone": 1], "set.timeZone"),
            (["quietHours": ["from": "22:00"]], "set.quietHours.to"), (["quietHours": "night"], "set.quietHours"),
            (["quietHours": ["from": "24:00", "to": "07:00"]], "set.quietHours.from"),
            (["quietHours": ["from": "22:00", "to": "07:60"]], "set.quietHours.to"),
            (["quietHours": ["from": "22:00", "to": "07:00", "days": ["monday"]]], "set.quietHours.days"),
            (["quietHours": ["from": "22:00", "to": "07:00", "days": "mon"]], "set.quietHours.days"),
            (["quietHours": ["from": "22:00", "to": "07:00", "allow": ["A"]]], "set.quietHours.allow"),
            (["quietHours": ["from": "22:00", "to": "07:00", "summary": "no"]], "set.quietHours.summary"),
            (["quietHours": ["from": "22:00", "to": "07:00", "till": 1]], "set.quietHours.till"),
            (["mute": true], "set.mute"), (["mute": ["users": [:]]], "set.mute.users"),
            (["mute": ["all": false]], "set.mute.all"), (["mute": ["all": "tomorrow"]], "set.mute.all"),
            (["mute": ["topics": ["nothing": true]]], "set.mute.topics.nothing"),
            (["mute": ["topics": ["person:1": 5]]], "set.mute.topics.person:1"),
            (["mute": ["kinds": ["New Kind": true]]], "set.mute.kinds.New Kind"),
            (["mute": ["chats": ["bob:alice": true]]], "set.mute.chats.bob:alice"),
            (["levels": "active"], "set.levels"), (["levels": ["passive"]], "set.levels"),
            (["levels": ["loud"]], "set.levels"), (["kinds": ["a": true]], "set.kinds.a"),
            (["kinds": ["a": ["deliver": "loud"]]], "set.kinds.a.deliver"),
            (["kinds": ["a": ["levels": [1]]]], "set.kinds.a.levels"), (["kinds": ["a": ["b": 1]]], "set.kinds.a.b"),
            (["digest": ["a": "hourly"]], "set.digest.a"), (["digest": ["a": "daily 9:00"]], "set.digest.a"),
            (["digest": ["a": "weekly 09:00"]], "set.digest.a"), (["digest": ["a": ["every": 59]]], "set.digest.a"),
            (["digest": ["a": ["every": 604_801]]], "set.digest.a"),
            (["digest": ["digest": "daily 09:00"]], "set.digest.digest"),
            (["digest": ["quietHours": "daily 09:00"]], "set.digest.quietHours"),
            (["digest": ["topic:x": "daily 09:00"]], "set.digest.topic:x"), (["presence": "some"], "set.presence"),
            (["quiet": true], "set.quiet"), (["colour": nil], "set.colour"),
        ] as [(JSONObject, String)]
    )
    func `a wrong member is refused by its name, and nothing changes`(set: JSONObject, field: String) throws {
        let house = try House()
        try house.write(ChangePreferences(["locale": "it"]), by: "alice")
        let refused = try house.refusal { try house.write(ChangePreferences(set), by: "alice") }
        #expect(refused.code == .badRequest)
        #expect(refused.field == field)
    }

    @Test func `preferences are bounded in number and size`() throws {
        let house = try House()
        func many(_ count: Int, _ name: (Int) -> String, _ value: JSONValue) -> JSONValue {
            .object(JSONObject((0..<count).map { (name: name($0), value: value) }))
        }
        let mutes: JSONObject = [
            "mute": ["topics": many(300, { "person:\($0)" }, true), "kinds": many(201, { "k\($0)" }, true)]
        ]
        #expect(try house.refusal { try house.write(ChangePreferences(mutes), by: "alice") }.field == "set.mute")
        let digests: JSONObject = ["digest": many(21, { "k\($0)" }, "daily 09:00")]
        #expect(try house.refusal { try house.write(ChangePreferences(digests), by: "alice") }.field == "set.digest")
        let long = String(repeating: "x", count: 180)
        let large: JSONObject = ["mute": ["topics": many(300, { "person:\(long)\($0)" }, true)]]
        #expect(try house.refusal { try house.write(ChangePreferences(large), by: "alice") }.code == .tooLarge)
    }

    @Test func `the application reads, merges and replaces a user's preferences, and names fields without set`() throws
    {
        let house = try House()
        let bob = try user("bob")
        let made = try house.write(
            ChangePreferences(["timeZone": "Europe/Rome"], of: bob, replacing: false, key: nil), by: "admin")
        #expect(made["timeZone"] == "Europe/Rome", "also before he ever connected")
        let replaced = try house.write(
            ChangePreferences(["presence": "nobody"], of: bob, replacing: true, key: nil), by: "admin")
        #expect(replaced["timeZone"] == .null)
        #expect(try house.read(ReadPreferences(of: bob), by: "admin") == replaced)
        let refused = try house.refusal {
            try house.write(ChangePreferences(["levels": 1], of: bob, replacing: false, key: nil), by: "admin")
        }
        #expect(refused.field == "levels")
        let unknown = try #require(throws: Refusal.self) {
            try house.read(ReadPreferences(of: user("nobody-here")), by: "admin")
        }
        #expect(unknown.code == .notFound)
    }

    @Test func `a muted chat says so in the list, its messages come, and its notifications do not interrupt`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob")
        let until = JSONValue.string(house.now.adding(milliseconds: 1000).text)
        try house.write(ChangePreferences(["mute": ["chats": ["alice:bob": until]]]), by: "bob")
        let bob = try house.connect("bob")
        try house.recommend("alice", "bob", "movie/604")
        #expect(bob.types.contains("message"))
        let notification = try #require(bob.events.first { $0["type"] == "notification" })
        #expect(notification["alert"] == false)
        #expect(notification["reason"] == "muted")
        let muted = { try house.chats("bob")["chats"]?.arrayValue?.first?["muted"] }
        #expect(try muted() == true)
        house.now = house.now.adding(milliseconds: 1000)
        #expect(try muted() == false)
    }

    @Test func `a notification keeps its reason when the preferences change, in lists too`() throws {
        let house = try House()
        try house.follow("alice", "person:1")
        try house.write(ChangePreferences(["mute": ["topics": ["person:1": true]]]), by: "alice")
        try house.broadcast("person:1", "one")
        try house.broadcast("user:alice", "two")
        try house.write(ChangePreferences(["mute": nil]), by: "alice")
        try house.broadcast("person:1", "three")
        let list = try #require(try house.notifications("alice")["notifications"]?.arrayValue)
        #expect(list.map { $0["title"] } == ["three", "two", "one"])
        #expect(list.map { $0["reason"] } == [nil, nil, "muted"])
    }
}
