import ClientProtocol
import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing

/// The configured preferences of users who have chosen none.
struct DefaultPreferencesTests {
    private static let defaults: JSONObject = [
        "timeZone": "Europe/Istanbul", "quietHours": ["from": "22:00", "to": "07:00"],
        "mute": ["kinds": ["chatter": true]], "digest": ["release": "daily 18:00"],
    ]

    private static func spread(_ object: JSONObject?, in house: House) throws {
        let defaults = try object.map { try DefaultPreferences($0) }
        while try house.look({ try !DefaultPreferences.areInForce(defaults, in: $0) }) {
            try house.write(SpreadDefaultPreferences(defaults), by: "server")
        }
    }

    private static func preferences(_ house: House, _ name: String) throws -> JSONValue {
        try house.read(ReadPreferences(), by: name)
    }

    @Test func `defaults hold for users from before, and for users who come later`() throws {
        let house = try House()
        house.now = try #require(Timestamp("2026-11-21T20:00:00Z"))
        try house.follow("old", "person:1")
        try Self.spread(Self.defaults, in: house)
        try house.follow("new", "person:1")
        for name in ["old", "new"] {
            let answer = try Self.preferences(house, name)
            for (member, value) in Self.defaults.members { #expect(answer[member] == value, "\(name) \(member)") }
            #expect(answer["presence"] == "contacts" && answer["default"] == nil)
            #expect(
                try house.look { try $0.users.zone(of: #require(try $0.users.number(of: try user(name)))) }
                    == "Europe/Istanbul")
        }
        // It is eleven in the evening in both zones: both users are notified when their quiet hours end.
        try house.broadcast("person:1", "late")
        for name in ["old", "new"] {
            let entry = try house.notifications(name)["notifications"]?.arrayValue?.first
            #expect(entry?["reason"] == "quiet-hours", "\(name)")
            let digests = try house.look {
                try $0.digests.all(of: try #require(try $0.users.number(of: try user(name)))).map(\.subject).sorted()
            }
            #expect(digests == ["quietHours", "release"], "\(name)")
        }
        house.now = try #require(Timestamp("2026-11-22T04:00:00Z"))
        try house.write(DeliverDue(), by: "server")
        for name in ["old", "new"] {
            #expect(try house.notifications(name)["notifications"]?.arrayValue?.first?["kind"] == "digest", "\(name)")
        }
    }

    @Test func `a user's value goes before the default, null takes the default away, and no value leaves it`()
        throws
    {
        let house = try House()
        try house.write(ChangePreferences(["timeZone": "Europe/Berlin"]), by: "bernd")
        try Self.spread(Self.defaults, in: house)
        #expect(try Self.preferences(house, "bernd")["timeZone"] == "Europe/Berlin")
        #expect(try Self.preferences(house, "bernd")["quietHours"] == .null)

        let changed = try house.write(ChangePreferences(["quietHours": nil]), by: "ayse")
        #expect(changed["quietHours"] == .null && changed["timeZone"] == "Europe/Istanbul")
        // The user's own preferences stay when others are configured.
        try Self.spread(["timeZone": "Europe/Rome"], in: house)
        #expect(try Self.preferences(house, "ayse") == changed)
        let none = try house.write(
            ChangePreferences(["timeZone": nil, "mute": nil, "digest": nil]), by: "ayse")
        #expect(none["timeZone"] == .null && none["mute"] == [:])
        try Self.spread(Self.defaults, in: house)
        #expect(try Self.preferences(house, "ayse") == none)

        let back = try house.write(
            ChangePreferences([:], of: try user("ayse"), replacing: true, key: nil), by: "admin")
        #expect(back["timeZone"] == "Europe/Istanbul")
        try Self.spread(nil, in: house)
        #expect(try Self.preferences(house, "ayse")["timeZone"] == .null)
        #expect(try house.entry("ayse").preferences == nil)
        #expect(try Self.preferences(house, "bernd")["timeZone"] == "Europe/Berlin")
    }

    @Test func `a change that changes nothing leaves the default the default`() throws {
        let house = try House()
        try Self.spread(Self.defaults, in: house)
        _ = try house.entry("ayse")
        let head = house.head
        try house.write(ChangePreferences(["timeZone": "Europe/Istanbul"]), by: "ayse")
        #expect(house.head == head)
        try Self.spread(["timeZone": "Europe/Rome"], in: house)
        #expect(try Self.preferences(house, "ayse")["timeZone"] == "Europe/Rome")
        // The language is a separate choice.
        try house.write(ChangePreferences(["locale": "tr"]), by: "ayse")
        try Self.spread(Self.defaults, in: house)
        #expect(try Self.preferences(house, "ayse")["timeZone"] == "Europe/Istanbul")
        #expect(try Self.preferences(house, "ayse")["locale"] == "tr")
    }

    @Test func `all users have them after as many slices as it takes, also when it is stopped between two`() throws {
        let house = try House()
        for number in 1...600 { _ = try house.actor("u\(number)") }
        let first = try DefaultPreferences(["timeZone": "Europe/Rome"])
        try house.write(SpreadDefaultPreferences(first), by: "server")
        #expect(try house.look { try !DefaultPreferences.areInForce(first, in: $0) })
        #expect(try Self.preferences(house, "u1")["timeZone"] == "Europe/Rome")
        #expect(try Self.preferences(house, "u600")["timeZone"] == .null)
        try Self.spread(Self.defaults, in: house)
        for name in ["u1", "u500", "u501", "u600"] {
            #expect(try Self.preferences(house, name)["timeZone"] == "Europe/Istanbul")
        }
        let head = house.head
        try Self.spread(Self.defaults, in: house)
        #expect(house.head == head)
    }
}
