import Foundation
import JSON
import Model
import Notifying
import Testing

/// The facts that a test needs.
func facts(
    kind: String = "release",
    level: InterruptionLevel = .active,
    topic: String = "person:1",
    chat: String? = nil,
    at time: String = "2026-11-18T12:00:00Z"
) throws -> NotificationFacts {
    NotificationFacts(
        kind: kind,
        level: level,
        topic: topic,
        chat: chat.flatMap { ChatID($0) },
        at: try #require(Timestamp(time)),
        isPersonal: false
    )
}

func stored(_ preferences: JSONValue) throws -> DeliveryPreferences {
    try #require(DeliveryPreferences.stored(preferences.text))
}

struct QuietHoursTests {
    /// Zones with unusual changes of their clocks, each with such a moment.
    static let moments: [(zone: String, around: String)] = [
        ("Europe/Rome", "2026-03-29T01:00:00Z"), ("Europe/Rome", "2026-10-25T01:00:00Z"),
        ("America/New_York", "2026-03-08T07:00:00Z"), ("America/New_York", "2026-11-01T06:00:00Z"),
        ("Asia/Kathmandu", "2026-06-01T00:00:00Z"), ("Australia/Lord_Howe", "2026-10-03T15:30:00Z"),
        ("Australia/Lord_Howe", "2026-04-04T15:00:00Z"), ("Pacific/Apia", "2011-12-30T10:00:00Z"),
        ("America/Havana", "2026-11-01T05:00:00Z"), ("Africa/Casablanca", "2027-02-07T02:00:00Z"),
        ("Pacific/Chatham", "2026-09-26T14:00:00Z"), ("America/Sao_Paulo", "2018-11-04T03:00:00Z"),
    ]
    static let windows: [JSONValue] = [
        ["from": "22:00", "to": "07:00"], ["from": "02:15", "to": "02:45"], ["from": "00:00", "to": "00:00"],
        ["from": "23:30", "to": "23:00", "days": ["sat"]], ["from": "09:00", "to": "17:00", "days": ["sun", "fri"]],
    ]

    /// Whether it is quiet according to the calendar's components alone.
    private func isQuiet(_ date: Date, _ window: JSONValue, in zone: TimeZone) throws -> Bool {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.weekday, .hour, .minute], from: date)
        let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        let weekday = try #require(parts.weekday) - 1
        let clock = String(format: "%02d:%02d", try #require(parts.hour), try #require(parts.minute))
        let from = try #require(window["from"]?.stringValue)
        let to = try #require(window["to"]?.stringValue)
        let days = window["days"]?.arrayValue?.compactMap(\.stringValue) ?? names
        let isToday = days.contains(names[weekday])
        let wasYesterday = days.contains(names[(weekday + 6) % 7])
        if from < to { return isToday && clock >= from && clock < to }
        return isToday && clock >= from || wasYesterday && clock < to
    }

    @Test(arguments: moments, windows)
    func `quiet is what the clock on the wall says, also while it is put forward or back`(
        moment: (zone: String, around: String),
        window: JSONValue
    ) throws {
        let preferences = try stored(["timeZone": .string(moment.zone), "quietHours": window])
        let zone = try #require(TimeZone(identifier: moment.zone))
        let around = try #require(Timestamp(moment.around))
        for minute in stride(from: -2880, through: 2880, by: 15) {
            for milliseconds: Int64 in [-1, 0] {
                let time = around.adding(milliseconds: Int64(minute) * 60_000 + milliseconds)
                let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
                let reason = preferences.reason(against: try facts(at: time.text), beginsDigest: false)
                #expect(reason == (try isQuiet(date, window, in: zone) ? .quietHours : nil), "\(time) \(moment.zone)")
            }
        }
    }

    @Test(
        arguments: [
            // Half past two does not exist on this day; the digest comes when the clock jumps over it.
            ("Europe/Rome", "daily 02:30", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00.000Z"),
            // It occurs twice on this day, and only the first time counts.
            ("Europe/Rome", "daily 02:30", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00.000Z"),
            ("Europe/Rome", "daily 02:30", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00.000Z"),
            ("Europe/Rome", "daily 09:00", "2026-03-28T08:00:00Z", "2026-03-29T07:00:00.000Z"),
            ("Europe/Rome", "daily 09:00", "2026-10-24T07:00:00Z", "2026-10-25T08:00:00.000Z"),
            ("Asia/Kathmandu", "daily 07:00", "2026-06-01T00:00:00Z", "2026-06-01T01:15:00.000Z"),
            ("Australia/Lord_Howe", "daily 02:15", "2026-10-03T12:00:00Z", "2026-10-03T15:30:00.000Z"),
            // A day that did not exist.
            ("Pacific/Apia", "daily 12:00", "2011-12-29T23:00:00Z", "2011-12-30T10:00:00.000Z"),
            ("Pacific/Apia", "daily 12:00", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00.000Z"),
            ("America/New_York", "weekly mon 09:00", "2026-11-18T12:00:00Z", "2026-11-23T14:00:00.000Z"),
            ("America/New_York", "weekly sun 01:30", "2026-10-28T12:00:00Z", "2026-11-01T05:30:00.000Z"),
            ("America/New_York", "weekly sun 01:30", "2026-11-01T05:30:00Z", "2026-11-08T06:30:00.000Z"),
            ("America/Havana", "daily 00:30", "2026-11-01T04:30:00Z", "2026-11-02T05:30:00.000Z"),
            ("Pacific/Kiritimati", "daily 00:00", "2026-12-30T09:59:59Z", "2026-12-30T10:00:00.000Z"),
            ("UTC", "daily 00:00", "2026-12-31T00:00:00Z", "2027-01-01T00:00:00.000Z"),
        ]
    )
    func `a digest is due when the clock on the wall first shows its time`(
        zone: String,
        rule: String,
        now: String,
        due: String
    ) throws {
        let preferences = try stored(["timeZone": .string(zone), "digest": ["release": .string(rule)]])
        let now = try #require(Timestamp(now))
        #expect(preferences.nextDue(of: DigestSubject("release"), after: now)?.text == due)
    }

    @Test(arguments: ["Foo/Bar", "CEST", "GMT+2", "europe/rome", "", "Europe/Rome ", "/", "../etc/passwd"])
    func `a text that names no zone is refused`(name: String) {
        #expect(ZoneClock(name) == nil)
    }
}

struct DecisionTests {
    private static let everything: JSONValue = [
        "mute": [
            "topics": ["person:9": true, "person:8": "2026-11-18T12:00:00.001Z", "person:7": "2026-11-18T12:00:00Z"],
            "kinds": ["review": true], "chats": ["alice:bob": true],
        ],
        "kinds": ["hush": ["deliver": "silent"], "only": ["levels": ["time-sensitive"]], "all": ["deliver": "alert"]],
        "digest": ["topic:person:2": "daily 09:00", "release": ["every": 600]],
        "quietHours": ["from": "11:00", "to": "13:00", "allow": ["urgent"]],
        "levels": ["active", "time-sensitive", "critical"],
    ]

    @Test(
        arguments: [
            ("release", .active, "person:9", nil, .muted), ("release", .active, "person:8", nil, .muted),
            ("x", .active, "person:7", nil, .quietHours), ("review", .active, "a:1", nil, .muted),
            ("x", .active, "a:1", "alice:bob", .muted), ("x", .active, "a:1", "alice:carol", .quietHours),
            ("review", .timeSensitive, "a:1", nil, .muted), ("review", .critical, "person:9", nil, nil),
            ("review", .passive, "person:9", nil, nil), ("hush", .active, "a:1", nil, .level),
            ("hush", .timeSensitive, "a:1", nil, .level), ("hush", .critical, "a:1", nil, nil),
            ("only", .active, "a:1", nil, .level), ("only", .timeSensitive, "a:1", nil, nil),
            ("all", .active, "a:1", nil, .quietHours), ("x", .active, "person:2", nil, .digest),
            ("x", .timeSensitive, "person:2", nil, nil), ("release", .active, "person:2", nil, .digest),
            ("release", .active, "a:1", nil, .digest), ("urgent", .active, "a:1", nil, nil),
            ("x", .timeSensitive, "a:1", nil, nil), ("x", .active, "a:1", nil, .quietHours),
            ("x", .passive, "a:1", nil, nil),
        ] as [(String, InterruptionLevel, String, String?, Silence?)]
    )
    func `mutes go before levels, those before digests, quiet hours come last; critical goes through mutes`(
        kind: String,
        level: InterruptionLevel,
        topic: String,
        chat: String?,
        expected: Silence?
    ) throws {
        let facts = try facts(kind: kind, level: level, topic: topic, chat: chat)
        #expect(try stored(Self.everything).reason(against: facts, beginsDigest: false) == expected)
    }

    @Test func `the first of a look-back digest is not collected by it, and quiet hours hold it all the same`() throws {
        let preferences = try stored(Self.everything)
        #expect(preferences.reason(against: try facts(), beginsDigest: true) == .quietHours)
        let later = try facts(at: "2026-11-18T13:00:00Z")
        #expect(preferences.reason(against: later, beginsDigest: true) == nil)
        #expect(preferences.reason(against: later, beginsDigest: false) == .digest)
        // A digest by the clock has no first notification.
        let daily = try facts(topic: "person:2")
        #expect(preferences.reason(against: daily, beginsDigest: true) == .digest)
    }

    @Test func `levels that may interrupt, and a mute of everything until a time`() throws {
        let urgent = try stored(["levels": ["time-sensitive"]])
        #expect(urgent.reason(against: try facts(), beginsDigest: false) == .level)
        #expect(urgent.reason(against: try facts(level: .timeSensitive), beginsDigest: false) == nil)
        let none = try stored(["levels": []])
        #expect(none.reason(against: try facts(level: .timeSensitive), beginsDigest: false) == .level)
        // A user who has excluded the level `critical` is not interrupted by it either.
        #expect(none.reason(against: try facts(level: .critical), beginsDigest: false) == .level)
        let hushed = try stored(["kinds": ["release": ["deliver": "silent"]]])
        #expect(hushed.reason(against: try facts(level: .timeSensitive), beginsDigest: false) == .level)
        #expect(hushed.reason(against: try facts(level: .critical), beginsDigest: false) == nil)
        let kind = try stored(["kinds": ["release": ["levels": ["active"]]]])
        #expect(kind.reason(against: try facts(level: .critical), beginsDigest: false) == .level)
        let away = try stored(["mute": ["all": "2026-11-18T13:00:00+01:00"]])
        #expect(away.reason(against: try facts(at: "2026-11-18T11:59:59.999Z"), beginsDigest: false) == .muted)
        #expect(away.reason(against: try facts(), beginsDigest: false) == nil)
    }

    @Test func `preferences that decide nothing, or cannot be read, count as nothing`() {
        for text in ["{}", #"{"timeZone":"Europe/Rome"}"#, #"{"presence":"nobody"}"#, "damaged", #"{"levels":7}"#] {
            #expect(DeliveryPreferences.stored(text) == nil)
        }
        #expect(DeliveryPreferences.stored(nil) == nil)
    }
}

extension DeliveryPreferences {
    /// For a user who follows everything.
    fileprivate func reason(against facts: NotificationFacts, beginsDigest: Bool) -> Silence? {
        reason(against: facts, beginsDigest: beginsDigest, follows: { _ in true })
    }
}
