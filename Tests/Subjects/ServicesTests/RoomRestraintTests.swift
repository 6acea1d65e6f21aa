import Execution
import JSON
import Model
import PersonalData
import Privacy
import Services
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol

/// Rooms together with blocks, search, reports and restrictions.
struct RoomRestraintTests {
    private static let people = ["alice", "bob", "carol", "dave", "eve"]

    private func refused(_ house: House, _ body: () throws -> JSONValue) throws -> Refusal {
        try house.refusal(of: Self.people, body)
    }

    @Test func `a user who blocks the inviting user is left out, and others come in`() throws {
        let house = try House()
        for name in Self.people { _ = try house.actor(name) }
        try house.block("bob", "alice")
        let room = try house.room("alice", ["bob", "carol"])
        #expect(try house.roles("alice", room) == ["alice": "owner", "carol": "member"])
        try house.invite("alice", room, ["bob"])
        #expect(try house.roles("alice", room).count == 2)
        try house.setRole("alice", room, "carol", .moderator)
        try house.invite("carol", room, ["bob"])
        #expect(try house.roles("alice", room)["bob"] == "member")
    }

    @Test func `in a room both stay, and neither hears the other type`() throws {
        let house = try House()
        let room = try house.room("alice", ["bob", "carol", "dave"])
        try house.block("bob", "alice")
        try house.block("alice", "carol")
        let bob = try house.connect("bob")
        try house.send("alice", room, "hello")
        #expect(bob.types == ["message"])
        try house.react("bob", room, 1, "👍")
        let (alice, dave) = (try house.entry("alice"), try house.entry("dave"))
        let audience = { (user: UserEntry) in
            try house.look {
                try TypingAudience.members(of: try chat(room), besides: user, at: house.now, in: $0)
            }
        }
        let stream = try #require(try audience(dave).first)
        #expect(try audience(dave) == [stream, dave.id])
        let apart = [try house.entry("bob").id, try house.entry("carol").id].sorted()
        #expect(try audience(alice) == [stream, alice.id] + apart)
    }

    @Test func `a search finds nothing from before one's joining`() throws {
        let house = try House()
        let room = try house.room("alice", ["bob"])
        try house.send("alice", room, "old film")
        try house.invite("alice", room, ["carol"])
        try house.send("alice", room, "new film")
        try house.index()
        #expect(try house.search("bob", "film").foundMessages.count == 2)
        for chat in [nil, room] {
            let found = try house.search("carol", "film", chat: chat).foundMessages
            #expect(found.map { $0["text"] } == ["new film"])
        }
        try house.update("alice", room, history: .all)
        #expect(try house.search("carol", "film").foundMessages.count == 1, "what was said before stays hidden")
        try house.leave("carol", room)
        #expect(try house.search("carol", "film").foundMessages.isEmpty)
    }

    @Test func `a report copies no message from before the reporter's joining`() throws {
        let house = try House()
        let room = try house.room("alice", ["bob"])
        try house.send("alice", room, "one")
        try house.invite("alice", room, ["carol"])
        try house.send("alice", room, "two")
        let early = try refused(house) { try house.report("carol", "alice", in: room, n: 1) }
        #expect(early.code == .notFound && early.field == "n")
        try house.report("carol", "alice", in: room, n: 2)
        let shown = try house.read(ReadReport(1), by: "admin")
        #expect(shown["messages"]?.arrayValue?.map { $0["text"] } == ["two"])
    }

    @Test func `the moderators of the server delete a message of a room, also when its author has left`() throws {
        let house = try House()
        let room = try house.room("alice", ["bob", "carol"])
        let bob = try house.connect("bob")
        for text in ["one", "two"] { try house.send("carol", room, text) }
        for n in [1, 2] as [Int64] { try house.report("bob", "carol", in: room, n: n) }
        try house.decide(1, .delete)
        try house.leave("carol", room)
        try house.decide(2, .delete)
        let deletions = bob.events.filter { $0["type"] == "message.deleted" }
        #expect(deletions.map { $0["n"] } == [1, 2])
        #expect(deletions.allSatisfy { $0["user"] == nil && $0["reason"] == "moderated" })
        #expect(bob.counts.chats == 0)
        #expect(try house.counts("bob").chats == 0)
        #expect(try house.history("alice", room)["messages"]?.arrayValue?.allSatisfy { $0["deleted"] == true } == true)
    }

    @Test func `a user whom the server mutes makes no room, invites nobody and sends nothing, but may leave`() throws {
        let house = try House()
        let room = try house.room("alice", ["bob"], isOpen: true)
        try house.restrict("bob", .mute)
        for body in [
            { .string(try house.room("bob", ["carol"])) }, { try house.invite("bob", room, ["carol"]) },
            { try house.send("bob", room, "x") },
        ] as [() throws -> JSONValue] { #expect(try refused(house, body).code == .forbidden) }
        try house.leave("bob", room)
        try house.join("bob", room)
    }

    @Test func `making rooms has a limit for each person`() throws {
        let house = try House(limits: PersonLimits(["room.create": "2/1h"]))
        for _ in 1...2 { _ = try house.room("alice") }
        let refusal = try refused(house) { .string(try house.room("alice")) }
        #expect(refusal.code == .rateLimited && refusal.retryAfterMilliseconds != nil)
        _ = try house.room("bob")
    }

    // MARK: Leaving and coming back

    @Test(arguments: ["joined", "removed and invited"])
    func `a muted user who leaves a room and comes back is still muted`(_ way: String) throws {
        let house = try House()
        for name in Self.people { _ = try house.actor(name) }
        let room = try house.room("alice", ["bob", "carol"], isOpen: true)
        let until = house.now.adding(milliseconds: 3_600_000)
        try house.mute("alice", room, "carol", until: until)
        for _ in 1...3 {
            if way == "removed and invited" {
                try house.remove("alice", room, "carol")
            } else {
                try house.leave("carol", room)
            }
            if way == "joined" { try house.join("carol", room) } else { try house.invite("bob", room, ["carol"]) }
            let refusal = try refused(house) { try house.send("carol", room) }
            #expect(refusal.code == .forbidden && refusal.retryAfterMilliseconds == 3_600_000)
        }
        let shown = try house.read(ReadRoom(try chat(room), after: nil, limit: 9), by: "admin")
        let carol = shown["people"]?.arrayValue?.first { $0["user"] == "carol" }
        #expect(carol?["muted"] == .string(until.text), "moderators see it")
        try house.mute("alice", room, "carol", until: nil)
        try house.send("carol", room)
        try house.leave("carol", room)
        try house.join("carol", room)
        try house.send("carol", room, "it was lifted")
    }

    @Test func `a mute that has ended while somebody was away stays ended`() throws {
        let house = try House()
        let room = try house.room("alice", ["carol"], isOpen: true)
        try house.mute("alice", room, "carol", until: house.now.adding(milliseconds: 1000))
        try house.leave("carol", room)
        house.now = house.now.adding(milliseconds: 1000)
        try house.join("carol", room)
        try house.send("carol", room)
    }

    @Test func `the pace of a room counts over leaving and coming back`() throws {
        let house = try House()
        for name in Self.people { _ = try house.actor(name) }
        let room = try house.room("alice", ["bob", "carol"], isOpen: true)
        try house.update("alice", room, pace: 3600)
        try house.send("carol", room)
        house.now = house.now.adding(milliseconds: 1_000_000)
        try house.leave("carol", room)
        try house.join("carol", room)
        let early = try refused(house) { try house.send("carol", room) }
        #expect(early.code == .rateLimited && early.retryAfterMilliseconds == 2_600_000)
        try house.send("bob", room, "others go on")
        house.now = house.now.adding(milliseconds: 2_600_000)
        try house.send("carol", room)
    }

    @Test func `the mutes of an erased person go`() throws {
        let house = try House()
        let (muted, other) = (
            try house.room("alice", ["carol"], isOpen: true), try house.room("alice", ["carol"], isOpen: true)
        )
        for room in [muted, other] {
            try house.mute("alice", room, "carol", until: house.now.adding(milliseconds: 3_600_000))
        }
        try house.leave("carol", muted)
        let carol = try house.entry("carol").id
        let rows = try #require(PersonRows.all.first { $0.id == "room_restraints.user" })
        func kept() throws -> Int64 { try house.look { try $0.erasures.count(rows, of: carol) } }
        #expect(try kept() == 1)
        let chance = ErasureChance(String(repeating: "4f2c", count: 24))
        try house.write(
            EraseUser(try user("carol"), .redact, documents: [], chance: chance, key: nil), by: "admin")
        while try house.look({ try $0.erasures.running()?.phase }) != ErasurePhase.files.rawValue {
            _ = try house.fact(of: EraseSlice(), by: "server")
        }
        #expect(try kept() == 0)
    }

    // MARK: Presence

    private func visible(_ house: House, _ other: String, to name: String) throws -> Bool {
        let entry = try house.entry(name)
        return try house.look { try !VisiblePeople.visible([user(other)], to: entry, in: $0).isEmpty }
    }

    @Test func `a member is shown to the others after writing in the room, and not for being invited`() throws {
        let house = try House()
        for name in Self.people { _ = try house.actor(name) }
        let room = try house.room("alice", ["bob", "carol"])
        try house.send("alice", room)
        try house.markRead("bob", room, 1)
        #expect(try !visible(house, "bob", to: "alice"), "neither being brought in nor reading is consent")
        #expect(try visible(house, "alice", to: "bob"), "who has made the room is shown to its members")
        try house.send("bob", room)
        #expect(try visible(house, "bob", to: "alice") && visible(house, "bob", to: "carol"))
        #expect(try !visible(house, "bob", to: "eve") && !visible(house, "carol", to: "bob"))
        try house.remove("alice", room, "bob")
        #expect(try !visible(house, "bob", to: "alice"))
        try house.invite("alice", room, ["bob"])
        #expect(try !visible(house, "bob", to: "alice"), "nobody is shown by being brought back")
        try house.leave("alice", room)
        #expect(try !visible(house, "carol", to: "bob"), "an heir is no maker")
    }

    @Test func `an open room shows nobody`() throws {
        let house = try House()
        for name in Self.people { _ = try house.actor(name) }
        let room = try house.room("alice", ["bob"], isOpen: true)
        try house.join("carol", room)
        try house.send("bob", room)
        try house.join("eve", room)
        for name in ["alice", "bob", "carol"] { #expect(try !visible(house, name, to: "eve"), "\(name)") }
        try house.update("alice", room, isOpen: false)
        #expect(try visible(house, "carol", to: "bob") && visible(house, "bob", to: "carol"))
    }
}

extension JSONValue {
    fileprivate var foundMessages: [JSONValue] { self["messages"]?.arrayValue ?? [] }
}
