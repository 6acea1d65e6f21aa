import ClientProtocol
import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing

/// Broadcasts that wait for their time, and those to people who are online.
struct TimedBroadcastTests {
    private func read(_ house: House, _ id: Int64 = 1) throws -> JSONValue {
        try house.read(ReadBroadcast(id: id, delivered: 0), by: "admin")
    }

    private func go(_ house: House, to time: String) throws {
        house.now = try #require(Timestamp(time))
        try house.write(DeliverDue(), by: "server")
    }

    /// People in time zones; nil for one who has chosen none.
    private func people(_ house: House, _ zones: [(String, String?)]) throws -> [String: LiveSession] {
        var sessions: [String: LiveSession] = [:]
        for (name, zone) in zones {
            sessions[name] = try house.connect(name)
            if let zone { try house.write(ChangePreferences(["timeZone": .string(zone)]), by: name) }
        }
        for session in sessions.values { session.forget() }
        return sessions
    }

    // MARK: At a moment

    @Test func `a timed broadcast waits for its time, reaches the followers of that time, and is sent once`() throws {
        let house = try House()
        let alice = try house.connect("alice")
        alice.forget()
        let time = house.now.adding(milliseconds: 3_600_000)
        let reply = try house.broadcast("everyone", "Hello", at: time.text, key: "k")
        #expect(reply["state"] == "scheduled" && reply["at"] == .string(time.text))
        #expect(try read(house)["state"] == "scheduled")
        #expect(try read(house)["progress"]?["share"] == 0.0)
        try go(house, to: time.adding(milliseconds: -1).text)
        #expect(alice.types.isEmpty)
        let bob = try house.connect("bob")
        bob.forget()
        for _ in 1...3 { try go(house, to: time.text) }
        #expect(alice.titles == ["Hello"] && bob.titles == ["Hello"])
        let sent = try read(house)
        #expect(sent["state"] == "sent" && sent["size"] == 2 && sent["next"] == nil)
        #expect(sent["progress"] == ["total": 2, "done": 2, "failed": 0, "share": 1.0])
        #expect(try house.broadcast("everyone", "Hello", at: time.text, key: "k") == reply)
    }

    @Test func `counts of a person come before a row that many read, which sessions add to them`() throws {
        let house = try House()
        _ = try people(house, [("alice", nil)])
        let time = house.now.adding(milliseconds: 60_000)
        for audience in ["user:alice", "everyone", "user:alice"] { try house.broadcast(audience, at: time.text) }
        try go(house, to: time.text)
        let steps = try #require(house.commits.last).map { step in
            switch step {
            case .publication(let publication): publication.unread == .oneMore ? "row" : "inbox"
            case .change(.unread(_, let counts, _)): "\(counts.notifications)"
            case .change: "other"
            }
        }
        #expect(steps == ["inbox", "1", "row", "inbox", "3"])
    }

    @Test func `the preferences of the moment of sending decide`() throws {
        let house = try House()
        let alice = try house.connect("alice")
        let time = house.now.adding(milliseconds: 60_000).text
        try house.broadcast("user:alice", at: time)
        try house.write(ChangePreferences(["mute": ["kinds": ["broadcast": true]]]), by: "alice")
        alice.forget()
        try go(house, to: time)
        #expect(alice.events.first?["alert"] == false && alice.events.first?["reason"] == "muted")
    }

    @Test func `cancelled before its time, it is sent to nobody`() throws {
        let house = try House()
        let alice = try house.connect("alice")
        alice.forget()
        let time = house.now.adding(milliseconds: 60_000).text
        try house.broadcast("everyone", at: time)
        try house.write(CancelBroadcast(id: 1), by: "admin")
        try go(house, to: time)
        #expect(alice.types.isEmpty)
        #expect(try read(house)["state"] == "cancelled")
    }

    @Test func `when its end has come before the server could send it, nobody gets it`() throws {
        let house = try House()
        let alice = try house.connect("alice")
        alice.forget()
        let time = house.now.adding(milliseconds: 60_000)
        try house.broadcast("everyone", expires: time.adding(milliseconds: 1000), at: time.text)
        try go(house, to: time.adding(milliseconds: 1000).text)
        #expect(alice.types.isEmpty)
        #expect(try read(house)["state"] == "expired")
    }

    @Test func `a time that cannot be kept is refused by its field`() throws {
        let house = try House()
        _ = try house.actor("alice")
        let hour = house.now.adding(milliseconds: 3_600_000)
        for (audience, expires, at, field) in [
            ("everyone", nil, house.now.text, "at"), ("everyone", nil, "2020-01-01T00:00:00", "at"),
            ("everyone", nil, house.now.adding(milliseconds: 367 * 86_400_000).text, "at"),
            ("everyone", hour, hour.text, "expires"), ("everyone", hour, String(hour.text.dropLast()), "expires"),
            ("online", hour.adding(milliseconds: 1), String(hour.text.dropLast()), "at"),
            ("online", nil, nil, "expires"), ("online", hour.adding(milliseconds: 1), nil, "expires"),
            ("online", house.now, nil, "expires"),
            ("online", hour.adding(milliseconds: 3_600_001), hour.text, "expires"),
        ] as [(String, Timestamp?, String?, String)] {
            let refused = try house.refusal { try house.broadcast(audience, expires: expires, at: at) }
            #expect(refused.code == .badRequest && refused.field == field, "\(audience) \(at ?? "") \(refused)")
        }
        for at in ["2026-11-21", "tomorrow", "10:00", ""] { #expect(BroadcastTime(at) == nil) }
        #expect(try house.refusal { try house.broadcast("user:nobody", at: hour.text) }.code == .notFound)
    }

    // MARK: By each person's clock

    @Test func `each person gets it when their own clock shows the time, and it can be taken back from all`() throws {
        let house = try House()
        house.now = try #require(Timestamp("2026-11-20T00:00:00Z"))
        let all = try people(house, [("asahi", "Asia/Tokyo"), ("bob", nil), ("carla", "America/New_York")])
        try house.broadcast("everyone", "Eight", at: "2026-11-21T08:00")
        #expect(try read(house)["at"] == "2026-11-21T08:00:00.000")
        func got() -> [String] { all.filter { $0.value.titles == ["Eight"] }.keys.sorted() }
        try go(house, to: "2026-11-20T22:59:59Z")
        #expect(got() == [])
        try go(house, to: "2026-11-20T23:00:00Z")
        #expect(got() == ["asahi"])
        #expect(try read(house)["state"] == "sending" && read(house)["progress"]?["share"]?.text == "0.33")
        #expect(try read(house)["next"] == "2026-11-21T08:00:00.000Z")
        try go(house, to: "2026-11-21T08:00:00Z")
        #expect(got() == ["asahi", "bob"])
        for _ in 1...2 { try go(house, to: "2026-11-21T13:00:00Z") }
        #expect(got() == ["asahi", "bob", "carla"])
        #expect(try read(house)["state"] == "sent")
        for name in ["asahi", "bob", "carla"] { #expect(try house.counts(name).notifications == 1) }
        try house.write(CancelBroadcast(id: 1), by: "admin")
        for name in ["asahi", "bob", "carla"] {
            #expect(try house.notifications(name)["notifications"] == [], "\(name)")
            let events = all[name]?.events ?? []
            let id = events.first { $0["type"] == "notification" }?["id"]
            #expect(events.filter { $0["type"] == "notification.removed" && $0["id"] == id }.count == 1)
        }
    }

    @Test func `cancelled between two turns, the later zones never get it`() throws {
        let house = try House()
        house.now = try #require(Timestamp("2026-11-20T00:00:00Z"))
        let all = try people(house, [("asahi", "Asia/Tokyo"), ("carla", "America/New_York")])
        try house.broadcast("everyone", "Eight", at: "2026-11-21T08:00")
        try go(house, to: "2026-11-20T23:00:00Z")
        try house.write(CancelBroadcast(id: 1), by: "admin")
        try go(house, to: "2026-11-21T13:00:00Z")
        #expect(all["asahi"]?.types == ["notification", "notification.removed"])
        #expect(all["carla"]?.titles == [])
    }

    @Test(arguments: ["everyone", "person:1"])
    func `progress counts the people that it has reached, also when the rest is cancelled`(audience: String) throws {
        let house = try House()
        house.now = try #require(Timestamp("2026-11-20T00:00:00Z"))
        let zones = [
            ("asahi", "Asia/Tokyo"), ("beni", "Asia/Tokyo"), ("carla", "America/New_York"), ("dora", nil),
            ("emil", nil),
        ]
        _ = try people(house, zones)
        for (name, _) in zones { try house.follow(name, "person:1") }
        try house.broadcast(audience, "Eight", at: "2026-11-21T08:00")
        #expect(try read(house)["progress"]?["done"] == 0)
        try go(house, to: "2026-11-20T23:00:00Z")
        #expect(try read(house)["progress"] == ["total": 5, "done": 2, "failed": 0, "share": 0.4])
        try go(house, to: "2026-11-21T08:00:00Z")
        #expect(try read(house)["progress"]?["done"] == 4)
        try house.write(CancelBroadcast(id: 1), by: "admin")
        #expect(try read(house)["state"] == "cancelled")
        #expect(try read(house)["progress"] == ["total": 5, "done": 4, "failed": 0, "share": 0.8])
        try house.broadcast(audience, "Nine", at: "2026-11-23T09:00")
        try house.write(CancelBroadcast(id: 2), by: "admin")
        #expect(try read(house, 2)["progress"]?["done"] == 0)
    }

    @Test func `a person alone gets it by their clock, and followers get it by theirs`() throws {
        let house = try House()
        house.now = try #require(Timestamp("2026-11-20T00:00:00Z"))
        let all = try people(house, [("asahi", "Asia/Tokyo"), ("carla", "America/New_York")])
        for name in ["asahi", "carla"] { try house.follow(name, "person:1") }
        for session in all.values { session.forget() }
        try house.broadcast("user:carla", "Own", at: "2026-11-21T08:00")
        try house.broadcast("person:1", "Topic", at: "2026-11-21T08:00")
        try go(house, to: "2026-11-20T23:00:00Z")
        #expect(all["asahi"]?.titles == ["Topic"] && all["carla"]?.titles == [])
        try go(house, to: "2026-11-21T13:00:00Z")
        #expect(all["asahi"]?.titles == ["Topic"] && Set(all["carla"]?.titles ?? []) == ["Own", "Topic"])
        #expect(try read(house)["state"] == "sent")
    }

    @Test(arguments: [
        // The clock goes forward over 02:30: it is 03:30 when an hour and a half of the day is over.
        ("Europe/Rome", "2027-03-28T02:30", "2027-03-28T01:30:00Z"),
        // The clock shows 02:30 twice: the first time counts.
        ("Europe/Rome", "2026-10-25T02:30", "2026-10-25T00:30:00Z"),
        ("America/New_York", "2026-11-01T01:30", "2026-11-01T05:30:00Z"),
        ("Asia/Kathmandu", "2026-12-01T12:00", "2026-12-01T06:15:00Z"),
    ])
    func `a time that a clock skips or shows twice comes once`(zone: String, wall: String, moment: String) throws {
        let house = try House()
        let due = try #require(Timestamp(moment))
        house.now = due.adding(milliseconds: -40 * 3_600_000)
        let session = try #require(try people(house, [("anna", zone)])["anna"])
        try house.broadcast("everyone", "Once", at: wall)
        try go(house, to: due.adding(milliseconds: -1).text)
        #expect(session.titles == [])
        for hours in [0, 1, 2, 30] as [Int64] { try go(house, to: due.adding(milliseconds: hours * 3_600_000).text) }
        #expect(session.titles == ["Once"])
    }

    @Test func `a server that was off during all turns sends it to all at once`() throws {
        let house = try House()
        house.now = try #require(Timestamp("2026-11-20T00:00:00Z"))
        let all = try people(house, [("asahi", "Asia/Tokyo"), ("carla", "America/New_York")])
        try house.broadcast("everyone", "Late", at: "2026-11-21T08:00")
        let head = house.head
        try go(house, to: "2026-11-23T00:00:00Z")
        #expect(all.values.allSatisfy { $0.titles == ["Late"] })
        #expect(house.head == head.next)
    }

    // MARK: Online

    @Test func `those who are online get it in no inbox and without a place in the log`() throws {
        let house = try House()
        let alice = try house.connect("alice")
        alice.forget()
        let expires = house.now.adding(milliseconds: 60_000)
        let reply = try house.broadcast("online", "Now", expires: expires, online: 1, key: "k")
        #expect(reply["size"] == 1 && reply["state"] == nil)
        #expect(alice.types == [] && alice.counts.notifications == 0)
        let notice = try #require(alice.notices.first)
        #expect(notice["type"] == "notification" && notice["seq"] == nil && notice["id"] == "b1")
        #expect(notice["topic"] == "online" && notice["kind"] == "broadcast" && notice["title"] == "Now")
        #expect(notice["expires"] == .string(expires.text))
        #expect(try house.notifications("alice")["notifications"] == [])
        #expect(try house.broadcast("online", "Now", expires: expires, online: 5, key: "k") == reply)
        #expect(alice.notices.count == 1)
        try house.write(CancelBroadcast(id: 1), by: "admin")
        #expect(alice.notices.last == ["type": "notification.removed", "id": "b1", "reason": "retracted"])
        try house.write(CancelBroadcast(id: 1), by: "admin")
        #expect(alice.notices.count == 2)
    }

    @Test func `a broadcast to users online goes to those who are online at its time`() throws {
        let house = try House()
        let time = house.now.adding(milliseconds: 60_000)
        try house.broadcast("online", "Now", expires: time.adding(milliseconds: 3_600_000), at: time.text)
        let alice = try house.connect("alice")
        try go(house, to: time.text)
        try go(house, to: time.adding(milliseconds: 1).text)
        #expect(alice.notices.count == 1)
        #expect(try read(house)["state"] == "sent")
    }

    // MARK: Lists

    @Test func `the list has pages, newest first, and can be asked for one state`() throws {
        let house = try House()
        _ = try house.actor("alice")
        for number in 1...5 { try house.broadcast("everyone", "T\(number)") }
        try house.broadcast("everyone", "Later", at: house.now.adding(milliseconds: 60_000).text)
        func page(_ state: String? = nil, before: String? = nil, limit: Int = 2) throws -> JSONValue {
            let list = try ListBroadcasts(state: state, before: before, limit: limit) { Int($0) }
            return try house.read(list, by: "admin")
        }
        let first = try page()
        #expect(first.texts("broadcasts", "title") == ["Later", "T5"])
        #expect(first["broadcasts"]?.arrayValue?.first?["delivered"] == 6)
        let second = try page(before: first["next"]?.stringValue)
        #expect(second.texts("broadcasts", "title") == ["T4", "T3"])
        #expect(try page("scheduled").texts("broadcasts", "title") == ["Later"])
        #expect(try page("sent", limit: 5)["next"] == nil)
        #expect(throws: Refusal.self) { try page("gone") }
        #expect(try house.refusal { try page(before: "x") }.field == "before")
    }
}
