import Execution
import JSON
import Model
import Notifying
import PersonalData
import Privacy
import Services
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol

/// Rooms ask: the people that are brought in, invited or left alone, and the ends of an invitation.
struct RoomInvitationTests {
    private static let people = ["alice", "bob", "carol", "dave", "mallory"]

    private func house(limits: PersonLimits = .none) throws -> House {
        let house = try House(limits: limits)
        for name in Self.people { _ = try house.actor(name) }
        return house
    }

    private func refused(_ house: House, _ body: () throws -> JSONValue) throws -> Refusal {
        try house.refusal(of: Self.people, body)
    }

    /// Makes a room of people as they are.
    private func made(
        _ house: House, by owner: String, _ people: [String] = [], isOpen: Bool = false
    ) throws -> (room: String, answer: JSONValue) {
        let settings = RoomSettings(title: "Films", isOpen: isOpen)
        let command = RoomCreateCommand(settings: settings, members: try people.map(user), key: try house.key())
        let answer = try house.write(CreateRoom(command), by: owner)
        return (try #require(answer["chat"]?.stringValue), answer)
    }

    private func prefer(_ invites: String, _ name: String, _ house: House) throws {
        try house.write(ChangePreferences(["invites": .string(invites)]), by: name)
    }

    // MARK: Asking

    @Test func `a stranger is asked, hears nothing of the room before accepting, and is a member after it`() throws {
        let house = try house()
        let bob = try house.connect("bob")
        let (room, answer) = try made(house, by: "mallory", ["bob"])
        #expect(answer["invited"] == ["bob"] && answer["members"] == nil && answer["leftOut"] == nil)
        let event = try #require(bob.events.last)
        #expect(event["type"] == "room.invited" && event["chat"] == .string(room) && event["by"] == "mallory")
        #expect(event["title"] == "Films" && event["expires"] != nil)
        try house.send("mallory", room, "before")
        #expect(bob.types == ["room.invited"] && bob.counts.chats == 0)
        for body in [
            { try house.history("bob", room) }, { try house.send("bob", room) }, { try house.leave("bob", room) },
            { try house.join("bob", room) }, { try house.roles("bob", room).isEmpty ? .null : .null },
        ] as [() throws -> JSONValue] { #expect(try refused(house, body).code == .forbidden) }
        let listed = try house.read(ListInvitations(RoomInvitationsCommand()), by: "bob")
        #expect(listed["count"] == 1 && listed["invitations"]?.arrayValue?.first?["by"] == "mallory")
        #expect(listed["invitations"]?.arrayValue?.first?["expires"] == event["expires"] && listed["next"] == nil)
        try house.accept("bob", room)
        #expect(bob.types == ["room.invited", "room.uninvited", "room"])
        #expect(bob.events[1]["reason"] == "accepted" && bob.events[2]["by"] == "bob")
        try house.send("mallory", room, "after")
        #expect(try house.numbers("bob", room) == [2] && house.invitations("bob").isEmpty)
        let head = house.head
        #expect(try house.accept("bob", room)["seq"] == .integer(head.value), "a repetition changes nothing")
    }

    @Test func `a follower of the inviter, and a person who has written to them, are members at once`() throws {
        let house = try house()
        try house.follow("bob", "user:alice")
        try house.follow("alice", "user:carol")
        try house.send("alice", "carol", "hi")
        try house.send("carol", "alice:carol", "hello")
        try house.follow("alice", "user:dave")
        try house.send("alice", "dave", "hi")
        let (room, answer) = try made(house, by: "alice", ["bob", "carol", "dave", "alice"])
        #expect(answer["members"] == ["alice", "bob", "carol"], "in the order in which they come in")
        #expect(answer["invited"] == ["dave"], "dave has never answered")
        #expect(try house.roles("alice", room).count == 3)
        #expect(try house.ask("alice", room, ["bob", "dave"])["members"] == ["bob"], "members are members")
        try house.follow("dave", "user:alice")
        #expect(try house.ask("alice", room, ["dave"])["members"] == ["dave"])
        #expect(try house.invitations("dave").isEmpty, "the invitation is done with")
    }

    @Test func `a preference lets everybody in, or nobody even ask`() throws {
        let house = try house()
        try house.follow("bob", "user:alice")
        try prefer("nobody", "bob", house)
        try prefer("all", "carol", house)
        let (room, answer) = try made(house, by: "alice", ["bob", "carol", "dave"])
        #expect(answer["leftOut"] == ["bob"] && answer["members"] == ["carol"] && answer["invited"] == ["dave"])
        #expect(try house.invitations("bob").isEmpty)
        try prefer("contacts", "bob", house)
        #expect(try house.ask("alice", room, ["bob"])["members"] == ["bob"])
        let refusal = try #require(throws: Refusal.self) { try prefer("friends", "bob", house) }
        #expect(refusal.field == "set.invites")
    }

    @Test func `each stranger is a first contact; those beyond the limit are left out`() throws {
        let house = try house(limits: PersonLimits(["first-contact": "2/1d"]))
        try house.follow("dave", "user:mallory")
        try prefer("all", "carol", house)
        let strangers = (0..<999).map { "q\($0)" }
        let (room, answer) = try made(house, by: "mallory", strangers)
        #expect(answer["invited"] == ["q0", "q1"] && answer["leftOut"]?.arrayValue?.count == 997)
        #expect(try house.ask("mallory", room, ["carol"])["leftOut"] == ["carol"], "who lets in everybody counts, too")
        #expect(try house.ask("mallory", room, ["dave", "q0"])["members"] == ["dave"], "who follows is no stranger")
        try house.follow("mallory", "user:bob")
        let send = try #require(throws: Refusal.self) { try house.send("mallory", "bob", "hi") }
        #expect(send.code == .rateLimited)
    }

    @Test func `names that never came are made users twenty times a day, and the others are left out`() throws {
        let house = try house()
        _ = try house.actor("mallory")
        let users = try house.look { try $0.users.count() }
        let invented = (0..<999).map { "invented\($0)" }
        let (room, answer) = try made(house, by: "mallory", invented + ["bob"])
        let new = Int(ModerationLimits.newNamesPerDay)
        #expect(answer["leftOut"]?.arrayValue?.count == 999 - new, "bob is known, and is asked")
        #expect(try house.ask("mallory", room, ["invented998", "carol"])["invited"] == ["carol"])
        #expect(try house.look { try $0.users.count() } == users + Int64(new))
    }

    @Test func `an invitation without an answer leaves the tables, and a no stays`() throws {
        let house = try house()
        let (room, _) = try made(house, by: "mallory", ["bob", "carol"])
        try house.decline("carol", room)
        let rows = { try house.look { try $0.access.number("SELECT count(*) FROM room_invitations") } }
        house.now = house.now.adding(milliseconds: RoomLimits.invitationMilliseconds)
        try house.trim(keeping: 1000)
        #expect(try house.invitations("bob").isEmpty && rows() == 2)
        house.now = house.now.adding(milliseconds: Limits.clockGapMilliseconds)
        try house.trim(keeping: 1000)
        #expect(try rows() == 1)
        #expect(try house.ask("mallory", room, ["bob"])["invited"] == ["bob"])
    }

    @Test func `a blocked inviter reaches nobody, and the invitations of before are withdrawn`() throws {
        let house = try house()
        let (room, _) = try made(house, by: "mallory", ["bob", "carol"])
        let (bob, carol) = (try house.connect("bob"), try house.connect("carol"))
        try house.block("bob", "mallory")
        #expect(bob.types == ["blocked", "room.uninvited"] && bob.events[1]["reason"] == "withdrawn")
        #expect(try refused(house) { try house.accept("bob", room) }.code == .forbidden)
        #expect(try house.ask("mallory", room, ["bob"])["leftOut"] == ["bob"])
        try house.block("mallory", "carol")
        #expect(carol.types == ["room.uninvited"])
        #expect(try house.ask("mallory", room, ["carol"])["leftOut"] == ["carol"])
    }

    @Test func `a server's ban of the inviter, and a removal from the room, withdraw invitations`() throws {
        let house = try house()
        let (room, _) = try made(house, by: "mallory", ["bob"])
        let (other, _) = try made(house, by: "alice", isOpen: true)
        try house.join("mallory", other)
        try house.ask("mallory", other, ["carol"])
        try house.remove("alice", other, "mallory")
        #expect(try house.invitations("carol").isEmpty && house.invitations("bob") == [room])
        try house.restrict("mallory", .ban)
        #expect(try house.invitations("bob").isEmpty)
        #expect(try refused(house) { try house.accept("bob", room) }.code == .forbidden)
    }

    @Test func `a moderator withdraws an invitation, and a ban ends it`() throws {
        let house = try house()
        let (room, _) = try made(house, by: "alice", ["bob", "carol"])
        try house.remove("alice", room, "bob")
        #expect(try house.invitations("bob").isEmpty)
        try house.remove("alice", room, "carol", ban: true)
        #expect(try house.invitations("carol").isEmpty)
        #expect(try refused(house) { try house.accept("carol", room) }.code == .forbidden)
        #expect(try house.ask("alice", room, ["bob"])["invited"] == ["bob"], "withdrawn is not declined")
    }

    @Test func `an invitation ends with the room, and after thirty days by itself`() throws {
        let house = try house()
        let (gone, _) = try made(house, by: "mallory", ["bob"])
        let bob = try house.connect("bob")
        try house.leave("mallory", gone)
        #expect(bob.types == ["room.uninvited"])
        #expect(try refused(house) { try house.accept("bob", gone) }.code == .forbidden)
        let (room, _) = try made(house, by: "mallory", ["bob"])
        house.now = house.now.adding(milliseconds: RoomLimits.invitationMilliseconds)
        #expect(try house.invitations("bob").isEmpty)
        for body in [{ try house.accept("bob", room) }, { try house.decline("bob", room) }] {
            #expect(try refused(house, body).code == .forbidden)
        }
        #expect(try house.ask("mallory", room, ["bob"])["invited"] == ["bob"])
    }

    @Test(arguments: ["room:0", "room:null", "room:a", "room:b.c", "room:zz"])
    func `nobody answers an invitation of somebody else, or one that is not there`(_ id: String) throws {
        let house = try house()
        let (room, _) = try made(house, by: "mallory", ["bob"])
        for name in ["carol", "dave"] {
            for chat in [room, id] {
                #expect(try refused(house) { try house.accept(name, chat) } == ConversationRefusal.foreign)
                #expect(try refused(house) { try house.decline(name, chat) } == ConversationRefusal.foreign)
            }
        }
        #expect(try refused(house) { try house.decline("mallory", room) }.code == .forbidden)
        #expect(try house.invitations("bob") == [room] && house.roles("mallory", room).count == 1)
    }

    // MARK: No

    @Test func `a person who declined or left is not asked for thirty days, and is never put back by others`() throws {
        let house = try house()
        let (room, _) = try made(house, by: "alice", ["bob"], isOpen: true)
        let bob = try house.connect("bob")
        try house.decline("bob", room)
        #expect(bob.types == ["room.uninvited"] && bob.events[0]["reason"] == "declined")
        let head = house.head
        #expect(try house.decline("bob", room)["seq"] == .integer(head.value), "a repetition changes nothing")
        #expect(try refused(house) { try house.accept("bob", room) }.code == .forbidden)
        #expect(try house.ask("alice", room, ["bob"])["leftOut"] == ["bob"])
        try house.join("bob", room)
        try house.leave("bob", room)
        try house.follow("bob", "user:alice")
        try prefer("all", "bob", house)
        #expect(try house.ask("alice", room, ["bob"])["leftOut"] == ["bob"], "also one who follows")
        house.now = house.now.adding(milliseconds: RoomLimits.invitationMilliseconds)
        #expect(try house.ask("alice", room, ["bob"])["invited"] == ["bob"], "asked, and not put in")
        try house.accept("bob", room)
        try house.remove("alice", room, "bob")
        #expect(try house.ask("alice", room, ["bob"])["members"] == ["bob"], "who was removed did not say no")
    }

    // MARK: Bounds

    @Test func `a person at a bound is left out, and the others come in`() throws {
        let house = try house()
        for _ in 0..<1000 { _ = try made(house, by: "bob") }
        try house.follow("bob", "user:alice")
        try house.follow("carol", "user:alice")
        let (_, answer) = try made(house, by: "alice", ["bob", "carol", "dave"])
        #expect(answer["leftOut"] == ["bob"] && answer["members"] == ["carol"] && answer["invited"] == ["dave"])
        #expect(try refused(house) { try made(house, by: "bob").answer }.code == .tooMany)
    }

    @Test func `a thousand rooms of a stranger are five invitations, and take none of the victim's places`() throws {
        let house = try house()
        var invited = 0
        for _ in 0..<1000 {
            if try made(house, by: "mallory", ["bob"]).answer["invited"] != nil { invited += 1 }
        }
        #expect(try invited == 5 && house.entry("bob").rooms == 0)
        for name in (1...20).map({ "m\($0)" }) { for _ in 1...6 { _ = try made(house, by: name, ["bob"]) } }
        #expect(try house.invitations("bob").count == 100, "and twenty strangers fill the list")
        #expect(try made(house, by: "carol", ["bob"]).answer["leftOut"] == ["bob"])
        let bob = try house.connect("bob")
        try house.block("bob", "mallory")
        #expect(bob.types.count { $0 == "room.uninvited" } == 5)
        #expect(try house.invitations("bob").count == 95)
        #expect(try made(house, by: "carol", ["bob"]).answer["invited"] == ["bob"])
    }

    @Test func `a person has a thousand open invitations, and a room no more than its places`() throws {
        let house = try house(limits: PersonLimits(["new-name": "2000/1d"]))
        let (room, answer) = try made(house, by: "mallory", (0..<999).map { "q\($0)" })
        #expect(answer["invited"]?.arrayValue?.count == 999)
        let refusal = try refused(house) { try house.ask("mallory", room, ["r0"]) }
        #expect(refusal.code == .tooMany && refusal.field == "members")
        #expect(try made(house, by: "mallory", ["r0", "r1"]).answer["leftOut"] == ["r1"])
        let other = try made(house, by: "alice", ["q0"])
        #expect(other.answer["invited"] == ["q0"], "others go on")
    }

    @Test func `a list of invitations has pages`() throws {
        let house = try house()
        let rooms = try (0..<5).map { _ in try made(house, by: "alice", ["bob"]).room }
        var (found, after): ([String], String?) = ([], nil)
        repeat {
            let page = try house.read(ListInvitations(RoomInvitationsCommand(after: after, limit: 2)), by: "bob")
            found += (page["invitations"]?.arrayValue ?? []).compactMap { $0["chat"]?.stringValue }
            #expect(page["count"] == 5)
            after = page["next"]?.stringValue
        } while after != nil
        #expect(found == rooms)
    }

    // MARK: Owners

    @Test func `nobody inherits a room that they never accepted`() throws {
        let house = try house()
        let room = try house.room("mallory", ["bob", "carol"])
        try house.leave("mallory", room)
        #expect(try house.roles("bob", room) == ["bob": "member", "carol": "member"], "the room has no owner")
        let (other, _) = try made(house, by: "mallory", ["dave"])
        try house.acquaint("mallory", with: ["bob"])
        try house.ask("mallory", other, ["bob"])
        try house.accept("dave", other)
        try house.leave("mallory", other)
        #expect(try house.roles("bob", other) == ["bob": "member", "dave": "owner"], "who accepted, though later")
    }

    @Test func `owners alone lift an owner's ban, or change it`() throws {
        let house = try house()
        let room = try house.room("alice", ["bob", "carol", "dave"], isOpen: true)
        try house.setRole("alice", room, "bob", .moderator)
        try house.remove("alice", room, "carol", ban: true)
        for (ban, until) in [(false, nil), (true, house.now.adding(milliseconds: 1))] as [(Bool, Timestamp?)] {
            let refusal = try refused(house) { try house.remove("bob", room, "carol", ban: ban, until: until) }
            #expect(refusal.code == .forbidden && refusal.field == "user")
        }
        #expect(try refused(house) { try house.join("carol", room) }.code == .forbidden)
        try house.remove("bob", room, "dave", ban: true)
        try house.remove("bob", room, "dave", ban: false)
        try house.join("dave", room)
        try house.remove("bob", room, "dave", ban: true)
        try house.remove("alice", room, "dave", ban: false)
        try house.remove("alice", room, "carol", ban: false)
        try house.join("carol", room)
        #expect(try house.roles("alice", room).count == 3, "dave has not come back")
    }

    // MARK: History

    @Test func `history all holds from then on, and earlier messages stay with those who were there`() throws {
        let house = try house()
        let room = try house.room("alice", ["bob"])
        try house.send("alice", room, "among two")
        try house.invite("alice", room, ["carol"])
        try house.send("alice", room, "among three")
        try house.update("alice", room, history: .all)
        #expect(try house.numbers("carol", room) == [2])
        try house.send("alice", room, "for all")
        try house.invite("alice", room, ["dave"])
        let dave = try house.connect("dave")
        #expect(try house.numbers("dave", room) == [3] && house.numbers("bob", room) == [1, 2, 3])
        try house.edit("alice", room, 1, "secret")
        try house.edit("alice", room, 3, "for everybody")
        #expect(dave.events.compactMap { $0["n"] } == [3], "changes of older messages are for those who have them")
        try house.index()
        #expect(try house.search("dave", "secret")["messages"] == [])
        #expect(try house.search("dave", "everybody")["messages"]?.arrayValue?.count == 1)
        for (name, history) in [("dave", RoomHistory.joined), ("dave", .all)] {
            try house.update("alice", room, history: history)
            #expect(try house.numbers(name, room) == [], "\(history)")
        }
        #expect(try house.numbers("bob", room) == [1, 2, 3])
    }

    // MARK: Presence

    @Test func `presence follows from a room only after accepting`() throws {
        let house = try house()
        func sees(_ name: String, _ other: String) throws -> Bool {
            let entry = try house.entry(name)
            return try house.look { try !VisiblePeople.visible([user(other)], to: entry, in: $0).isEmpty }
        }
        let (room, _) = try made(house, by: "mallory", ["bob"])
        #expect(try !sees("mallory", "bob") && !sees("bob", "mallory"))
        try house.accept("bob", room)
        #expect(try sees("mallory", "bob") && sees("bob", "mallory"))
        try house.leave("bob", room)
        #expect(try !sees("mallory", "bob"))
    }

    // MARK: Erasure and export

    private func erase(_ name: String, _ house: House) throws {
        let chance = ErasureChance(String(repeating: "4f2c", count: 24))
        try house.write(EraseUser(try user(name), .redact, documents: [], chance: chance, key: nil), by: "admin")
        while try house.look({ try $0.erasures.running()?.phase }) != ErasurePhase.files.rawValue {
            _ = try house.fact(of: EraseSlice(), by: "server")
        }
    }

    @Test func `an erased inviter's invitations are withdrawn`() throws {
        let house = try house(limits: PersonLimits(["new-name": "100/1d"]))
        let people = (0..<70).map { "q\($0)" }
        let (room, _) = try made(house, by: "mallory", people + ["bob"])
        let (bob, last) = (try house.connect("bob"), try house.connect("q69"))
        try erase("mallory", house)
        #expect(bob.types.contains("room.uninvited") && last.types.contains("room.uninvited"))
        #expect(try house.invitations("bob").isEmpty)
        let late = try #require(throws: Refusal.self) { try house.accept("bob", room) }
        #expect(late.code == .forbidden)
    }

    @Test func `an erased person's invitations go, and others' stay`() throws {
        let rows = try #require(PersonRows.all.first { $0.id == "room_invitations.user" })
        let house = try house()
        let (room, _) = try made(house, by: "alice", ["carol", "dave"])
        try house.decline("dave", room)
        let ids = try ["carol", "dave"].map { try house.entry($0).id }
        func counts() throws -> [Int64] {
            try ids.map { id in try house.look { try $0.erasures.count(rows, of: id) } }
        }
        #expect(try counts() == [1, 1])
        try erase("carol", house)
        #expect(try counts() == [0, 1])
    }

    @Test func `the export has the invitations that a person got, declined and made`() throws {
        let house = try house()
        let (room, _) = try made(house, by: "alice", ["bob"])
        let (declined, _) = try made(house, by: "carol", ["bob"])
        try house.decline("bob", declined)
        let (own, _) = try made(house, by: "bob", ["dave"])
        let lines = try house.look { transaction in
            var run = try UserExportRun(
                UserExport(of: user("bob"), omitsOthers: false, at: house.now), in: transaction)
            var bytes: [UInt8] = []
            while let piece = try run.next(in: transaction, bytesMin: 1) { bytes += piece }
            return try bytes.split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: Array($0)) }
        }
        let found = lines.filter { $0["kind"] == "invitation" }
        #expect(found.count == 3)
        #expect(found.contains { $0["chat"] == .string(room) && $0["by"] == "alice" && $0["declined"] == nil })
        #expect(found.contains { $0["chat"] == .string(declined) && $0["declined"] == true && $0["by"] == nil })
        #expect(found.contains { $0["chat"] == .string(own) && $0["user"] == "dave" })
    }
}

/// The refusal that says the same of every room of others.
private enum ConversationRefusal {
    static let foreign = Refusal(.forbidden, "you are not a member of this chat", field: "chat")
}
