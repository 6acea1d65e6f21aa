import ClientProtocol
import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing
import Triggers

/// Broadcasts to several audiences together, with exceptions.
struct BroadcastScopeTests {
    private func scope(_ audiences: [String], users: [String] = [], except: [String] = []) throws -> BroadcastAudience {
        .several(
            try BroadcastScope(
                audiences.map { try #require(BroadcastAudience(ofList: $0)) }, users: users.map(user),
                except: except.map { try #require(BroadcastAudience(ofList: $0)) }))
    }

    private func order(_ audience: BroadcastAudience, _ title: String = "News", at: String? = nil) throws
        -> BroadcastOrder
    {
        BroadcastOrder(
            audience: audience, level: .active,
            texts: StoredTexts(Localized(fallback: NotificationText(title: title, body: ""))), data: [:], expires: nil,
            collapse: nil, time: try at.map { try #require(BroadcastTime($0)) })
    }

    @discardableResult
    private func send(
        _ house: House, _ audiences: [String], users: [String] = [], except: [String] = [], at: String? = nil,
        key: String? = nil
    ) throws -> JSONValue {
        try house.write(
            SendBroadcast(
                order(scope(audiences, users: users, except: except), at: at), key: try key.map(writeKey)), by: "admin")
    }

    private func read(_ house: House, _ id: Int64 = 1) throws -> JSONValue {
        try house.read(ReadBroadcast(id: id, delivered: 0), by: "admin")
    }

    private func go(_ house: House, to time: String) throws {
        house.now = try #require(Timestamp(time))
        try house.write(DeliverDue(), by: "server")
    }

    private static let names = ["anna", "bob", "carla", "dora", "emil", "frank"]

    /// Anna and Bob follow a person, Bob and Carla are in a room, and Dora is an editor.
    private func house() throws -> (house: House, room: String) {
        let house = try House()
        for name in Self.names { _ = try house.actor(name) }
        for name in ["anna", "bob"] { try house.follow(name, "person:1") }
        let room = try house.room("carla", ["bob"])
        try house.put("roles/editor/users/dora", ["since": 1])
        for name in Self.names { try house.seen(name, upTo: house.head.value) }
        return (house, room)
    }

    private func readers(_ house: House) throws -> [String] {
        try Self.names.filter { name in
            let titles = try house.notifications(name)["notifications"]?.arrayValue?.map { $0["title"] } ?? []
            let news = titles.count { $0 == "News" }
            #expect(news <= 1, "\(name) has it \(news) times")
            #expect(try house.counts(name).notifications == Int64(news), "\(name)")
            return news > 0
        }
    }

    @Test(
        arguments: [
            (["person:1", "ROOM"], [], [], ["anna", "bob", "carla"]),
            (["person:1", "ROOM", "role:editor"], ["emil", "anna"], ["user:carla"], ["anna", "bob", "dora", "emil"]),
            (["everyone"], [], ["person:1", "role:editor"], ["carla", "emil", "frank"]),
            (["everyone", "ROOM", "user:bob"], ["anna"], ["user:frank"], ["anna", "bob", "carla", "dora", "emil"]),
            (["ROOM"], [], ["ROOM"], []), (["user:emil", "user:frank"], [], [], ["emil", "frank"]),
            (["person:1", "person:2"], [], [], ["anna", "bob"]),
        ] as [([String], [String], [String], [String])])
    func `each person of several audiences gets it once, and the exceptions do not`(
        audiences: [String], users: [String], except: [String], expected: [String]
    ) throws {
        let (house, room) = try house()
        func named(_ texts: [String]) -> [String] { texts.map { $0 == "ROOM" ? room : $0 } }
        let sessions = try Self.names.map { ($0, try house.connect($0)) }
        for session in sessions { session.1.forget() }
        let audience = try scope(named(audiences), users: users, except: named(except))
        let preview = try house.read(PreviewBroadcast(order(audience)), by: "admin")
        #expect(preview["reach"]?["people"]?.integerValue == Int64(expected.count), "\(preview.text)")
        let sent = try send(house, named(audiences), users: users, except: named(except))
        #expect(try readers(house) == expected)
        for (name, session) in sessions {
            #expect(session.types.count { $0 == "notification" } == (expected.contains(name) ? 1 : 0), "\(name)")
        }
        #expect(sent["size"]?.integerValue == Int64(expected.count), "\(sent.text)")
        let state = try read(house)
        #expect(state["state"] == "sent" && state["progress"]?["done"]?.integerValue == Int64(expected.count))
        try house.write(CancelBroadcast(id: 1), by: "admin")
        #expect(try readers(house) == [])
    }

    @Test func `members, followers and exceptions are those of the time when it is sent`() throws {
        let (house, room) = try house()
        let time = house.now.adding(milliseconds: 3_600_000).text
        try send(house, [room, "person:1"], users: ["emil"], except: ["role:editor"], at: time)
        #expect(try read(house)["audiences"] == [.string(room), "person:1"])
        #expect(try read(house)["except"] == ["role:editor"])
        try house.follow("frank", "person:1")
        try house.follow("dora", "person:1")
        try house.leave("bob", room)
        try house.follow("bob", "person:1", isOn: false)
        try go(house, to: time)
        #expect(try readers(house) == ["anna", "carla", "emil", "frank"])
        #expect(try read(house)["size"] == 4)
    }

    @Test func `by each person's clock all of them get it at their own turn, once`() throws {
        let (house, room) = try house()
        house.now = try #require(Timestamp("2026-11-20T00:00:00Z"))
        for (name, zone) in [("anna", "Asia/Tokyo"), ("bob", "Asia/Tokyo"), ("dora", "America/New_York")] {
            try house.write(ChangePreferences(["timeZone": .string(zone)]), by: name)
        }
        try send(house, [room, "person:1", "role:editor"], at: "2026-11-21T08:00")
        try go(house, to: "2026-11-20T22:00:00Z")
        #expect(try readers(house) == [] && read(house)["state"] == "scheduled")
        try go(house, to: "2026-11-20T23:00:00Z")
        #expect(try readers(house) == ["anna", "bob"])
        #expect(try read(house)["state"] == "sending" && read(house)["progress"]?["done"] == 2)
        try go(house, to: "2026-11-21T08:00:00Z")
        #expect(try readers(house) == ["anna", "bob", "carla"])
        #expect(try read(house)["progress"]?["done"] == 3)
        for _ in 1...2 { try go(house, to: "2026-11-21T13:00:00Z") }
        #expect(try readers(house) == ["anna", "bob", "carla", "dora"])
        #expect(try read(house)["state"] == "sent" && read(house)["progress"]?["done"] == 4)
    }

    @Test func `many people get it slice by slice, and a cancelled one counts those that have got it`() throws {
        let house = try House()
        let names = (1...560).map { "u\($0)" }
        for name in names { try house.write(ChangePreferences(["locale": "it"]), by: name) }
        try send(house, [], users: names + ["nobody"])
        func progress() throws -> JSONValue? { try read(house)["progress"] }
        #expect(try progress()?["total"] == 560 && progress()?["done"] == 500)
        #expect(try read(house)["state"] == "sending")
        try house.write(CancelBroadcast(id: 1), by: "admin")
        #expect(try progress()?["done"] == 500 && read(house)["state"] == "cancelled")
        for _ in 1...2 { try house.write(DeliverDue(), by: "server") }
        for name in ["u1", "u400", "u560"] { #expect(try house.counts(name).notifications == 0, "\(name)") }
        #expect(try house.look { try $0.broadcasts.nextDue() } == nil)
        try send(house, [], users: names)
        for _ in 1...2 { try house.write(DeliverDue(), by: "server") }
        #expect(try read(house, 2)["state"] == "sent" && read(house, 2)["progress"]?["share"] == 1.0)
        for name in ["u1", "u560"] { #expect(try house.counts(name).notifications == 1, "\(name)") }
    }

    @Test func `users that are not known are named, and a room that is not there is refused`() throws {
        let (house, _) = try house()
        let sent = try send(house, [], users: ["emil", "zoe", "yan"])
        #expect(sent["unknown"] == ["yan", "zoe"] && sent["unknownCount"] == 2 && sent["size"] == 1)
        #expect(try house.refusal { try send(house, ["room:none", "everyone"]) }.code == .notFound)
        let online = try #require(BroadcastAudience("online"))
        #expect(throws: Refusal.self) { try BroadcastScope([online, .everyone]) }
        #expect(throws: Refusal.self) { try BroadcastScope([.everyone], except: [.everyone]) }
        #expect(throws: Refusal.self) { try BroadcastScope([]) }
    }

    @Test func `other people under the same key are refused`() throws {
        let (house, _) = try house()
        let first = try send(house, ["person:1"], users: ["emil"], key: "k")
        #expect(try send(house, ["person:1"], users: ["emil"], key: "k") == first)
        #expect(try house.refusal { try send(house, ["person:1"], users: ["frank"], key: "k") }.code == .keyReused)
        let except = try house.refusal { try send(house, ["person:1"], except: ["user:emil"], key: "k") }
        #expect(except.code == .keyReused)
    }

    @Test(arguments: [
        ("room:1c", "room:1c"), ("role:editor", "role:editor"), ("followers:room:7", "followers:room:7"),
        ("followers:person:1", "person:1"), ("everyone", "everyone"), ("user:bob", "user:bob"),
    ]) func `a member of a list is read and written the same`(text: String, written: String) throws {
        let audience = try #require(BroadcastAudience(ofList: text))
        if case .user(let name) = audience { return #expect(name.text == "bob") }
        #expect(try scope([text]).text == written)
    }

    // MARK: Changing

    @discardableResult
    private func change(_ house: House, _ id: Int64 = 1, _ set: (inout BroadcastChange) -> Void) throws -> JSONValue {
        var change = BroadcastChange()
        set(&change)
        return try house.write(ChangeBroadcast(id: id, change, key: nil), by: "admin")
    }

    @Test func `a waiting one gets another text, time and audience, and all others of its members stay`() throws {
        let (house, room) = try house()
        let hour: Int64 = 3_600_000
        let (first, later) = (house.now.adding(milliseconds: hour), house.now.adding(milliseconds: 2 * hour))
        try house.broadcast("everyone", "Early", at: first.text)
        let texts = StoredTexts(Localized(fallback: NotificationText(title: "News", body: "")))
        let answer = try change(house) { $0.texts = texts }
        #expect(answer["at"] == .string(first.text) && answer["audience"] == "everyone" && answer["size"] == 6)
        try change(house) { $0.time = .moment(later) }
        let audience = try scope([room], users: ["emil"], except: ["user:bob"])
        #expect(try change(house) { $0.audience = audience }["size"] == 2)
        try go(house, to: first.text)
        #expect(try readers(house) == [])
        try change(house) { $0.kind = "offers" }
        try go(house, to: later.text)
        #expect(try readers(house) == ["carla", "emil"])
        #expect(try read(house)["kind"] == "offers" && read(house)["title"] == "News")
        let sent = try house.refusal { try change(house) { $0.kind = "other" } }
        #expect(sent.code == .conflict)
        #expect(try house.refusal { try change(house, 9) { $0.kind = "other" } }.code == .notFound)
    }

    @Test func `a change that could not be sent is refused and changes nothing`() throws {
        let (house, _) = try house()
        let time = house.now.adding(milliseconds: 3_600_000)
        try house.broadcast("everyone", "News", expires: time.adding(milliseconds: 60_000), at: time.text)
        let before = try read(house)
        let past = try house.refusal { try change(house) { $0.time = .moment(house.now) } }
        #expect(past.field == "at")
        let late = try house.refusal { try change(house) { $0.time = .moment(time.adding(milliseconds: 60_000)) } }
        #expect(late.field == "expires")
        let unknown = try user("zoe")
        #expect(try house.refusal { try change(house) { $0.audience = .user(unknown) } }.code == .notFound)
        #expect(try read(house) == before)
        try change(house) {
            $0.time = .moment(time.adding(milliseconds: 60_000))
            $0.expires = .becomes(nil)
        }
        #expect(try read(house)["expires"] == nil)
    }
}
