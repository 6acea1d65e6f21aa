import ClientProtocol
import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing
import Triggers

/// The dry run of a broadcast: how many people get it, in which language, and whether it rings.
struct BroadcastReachTests {
    private func choose(_ house: House, _ name: String, _ preferences: JSONObject) throws {
        _ = try house.actor(name)
        try house.write(ChangePreferences(preferences), by: name)
    }

    private func order(_ audience: String, texts: [String: String] = [:], at: String? = nil, kind: String = "offers")
        throws -> BroadcastOrder
    {
        let byLanguage = try texts.map { language, title in
            (try #require(LanguageTag(language)), NotificationText(title: title, body: ""))
        }
        return BroadcastOrder(
            audience: try #require(BroadcastAudience(audience)), kind: kind, level: .active,
            texts: StoredTexts(
                Localized(
                    fallback: NotificationText(title: "Hello", body: ""),
                    byLanguage: Dictionary(uniqueKeysWithValues: byLanguage))),
            data: [:], expires: nil, collapse: nil, time: try at.map { try #require(BroadcastTime($0)) })
    }

    private func house() throws -> House {
        let house = try House()
        try choose(house, "anna", ["locale": "it", "mute": ["kinds": ["offers": true]]])
        try choose(house, "bob", ["locale": "it-CH", "levels": ["critical"]])
        try choose(house, "carla", ["locale": "de", "digest": ["offers": ["every": 600]]])
        try choose(house, "dora", ["timeZone": "Asia/Tokyo", "quietHours": ["from": "22:00", "to": "07:00"]])
        try choose(house, "emil", ["mute": ["topics": ["everyone": true]]])
        _ = try house.actor("frank")
        try house.addDevice(of: "frank")
        try house.restrict("gast", .ban)
        return house
    }

    @Test func `everybody is counted by language, by device and by their choices, and those who are banned apart`()
        throws
    {
        let house = try house()
        // Eleven at night in Tokyo.
        house.now = try #require(Timestamp("2026-12-01T14:00:00Z"))
        let anna = try house.entry("anna").id
        let answer = try house.read(
            PreviewBroadcast(
                order("everyone", texts: ["it": "Ciao"]), online: OnlineUsers(count: 1) { $0 == anna }),
            by: "admin")
        #expect(
            answer["reach"] == [
                "people": 6, "keptOut": 1, "online": 1, "withDevice": 1, "quietHours": 1, "muted": 2, "level": 1,
                "digest": 1,
            ], "\(answer.text)")
        #expect(answer["next"] == nil)
        #expect(answer["texts"] == ["": ["title": "Hello", "body": ""], "it": ["title": "Ciao", "body": ""]])
        #expect(
            answer["languages"] == [
                ["language": "", "text": "", "people": 3], ["language": "de", "text": "", "people": 1],
                ["language": "it", "text": "it", "people": 1], ["language": "it-CH", "text": "it", "people": 1],
            ], "\(answer["languages"]?.text ?? "")")
    }

    @Test func `another kind passes the mute, and quiet hours are those at the time when it is sent`() throws {
        let house = try house()
        house.now = try #require(Timestamp("2026-12-01T14:00:00Z"))
        func reach(_ at: String?) throws -> JSONValue? {
            try house.read(PreviewBroadcast(order("everyone", at: at, kind: "outage")), by: "admin")["reach"]
        }
        #expect(try reach(nil)?["muted"] == 1)
        #expect(try reach(nil)?["digest"] == 0)
        #expect(try reach("2026-12-02T03:00:00Z")?["quietHours"] == 0)
        #expect(try reach("2026-12-03T06:30")?["quietHours"] == 1)
        #expect(try reach("2026-12-03T08:30")?["quietHours"] == 0)
    }

    @Test(arguments: ["everyone", "person:1"]) func `slices have each person once`(audience: String) throws {
        let house = try house()
        for name in ["anna", "bob", "carla", "dora", "gast"] { try house.follow(name, "person:1") }
        var next: String?
        var sums: [String: Int64] = [:]
        var slices = 0
        repeat {
            let answer = try house.read(PreviewBroadcast(order(audience), after: next, limit: 2), by: "admin")
            for name in ["people", "keptOut"] { sums[name, default: 0] += answer["reach"]?[name]?.integerValue ?? 0 }
            next = answer["next"]?.stringValue
            slices += 1
        } while next != nil && slices < 9
        #expect(sums == ["people": audience == "everyone" ? 6 : 4, "keptOut": 1])
        #expect(slices == (audience == "everyone" ? 4 : 3))
        let bad = try house.refusal { try house.read(PreviewBroadcast(order(audience), after: "x"), by: "admin") }
        #expect(bad.field == "after")
    }

    @Test func `the kind is that of the notification, and mutes and lists know it by that`() throws {
        let house = try house()
        try house.write(SendBroadcast(order("everyone"), key: nil), by: "admin")
        let list = try house.notifications("anna")["notifications"]?.arrayValue
        #expect(list?.map { $0["kind"] } == ["offers"])
        #expect(list?.first?["reason"] == "muted")
        let read = try house.read(ReadBroadcast(id: 1, delivered: 0), by: "admin")
        #expect(read["kind"] == "offers")
        #expect(BroadcastOrder.kind("offers") == "offers" && BroadcastOrder.kind("Offers") == nil)
        for reserved in ["digest", "moderation", "device", ""] { #expect(BroadcastOrder.kind(reserved) == nil) }
    }

    @Test func `another kind under the same key is refused, and the same again is answered once`() throws {
        let house = try house()
        let first = try house.write(SendBroadcast(order("everyone"), key: writeKey("k")), by: "admin")
        #expect(try house.write(SendBroadcast(order("everyone"), key: writeKey("k")), by: "admin") == first)
        let refused = try house.refusal {
            try house.write(SendBroadcast(order("everyone", kind: "outage"), key: writeKey("k")), by: "admin")
        }
        #expect(refused.code == .keyReused)
    }
}
