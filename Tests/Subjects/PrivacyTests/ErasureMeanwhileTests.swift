import Execution
import Foundation
import JSON
import Model
import Notifying
import Privacy
import Services
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol

/// Writes of others that name a person, between two slices of the person's erasure.
struct ErasureMeanwhileTests {
    private struct Killed: Error {}

    /// A person with a follower, a chat, a room, a document and a report.
    private struct World {
        static let name = "wilhelmine"
        let house: House
        let person: Actor
        let room: String
        let chat: String

        init() throws {
            house = try House.filmNetwork()
            for name in ["bob", "carol", "dora", "admin"] { _ = try house.actor(name) }
            person = try house.actor(Self.name)
            for name in ["bob", "carol"] { try house.follow(name, "user:\(Self.name)") }
            try house.follow(Self.name, "user:bob")
            chat = try #require(try house.recommend("bob", Self.name)["chat"]?.stringValue)
            try house.send(Self.name, chat, "of the person")
            room = try house.room("bob", [Self.name, "carol"])
            try house.send(Self.name, room, "of the person")
            try house.report("carol", Self.name, reason: "spam")
            try put("users/\(Self.name)/tasks/1")
            let chance = ErasureChance(String(repeating: "4f2c", count: 24))
            let erasure = EraseUser(try user(Self.name), .redact, documents: [], chance: chance, key: nil)
            try house.write(erasure, by: "admin")
        }

        func put(_ path: String) throws {
            let data: JSONObject = ["title": "x"]
            try house.write(
                WriteDocuments(DocumentWrite(path: DocumentPath(path), operation: .put(data)), key: house.key()),
                by: "admin")
        }

        /// Does the slices until a phase begins.
        func erase(until phase: ErasurePhase) throws {
            while try house.look({ try $0.erasures.running()?.phase }) != phase.rawValue {
                _ = try house.fact(of: EraseSlice(), by: "server")
            }
        }

        /// The process is killed in the next slice, and begins again.
        func kill() throws {
            try house.fail(EraseSlice(), by: "server", with: Killed())
            house.machine.forget()
        }

        /// The characters around the name in the database's files.
        func traces() throws -> [String] {
            var page: Int64? = 0
            while let first = page { page = try house.writer.clearUnusedBytes(from: first, pages: 128).next }
            #expect(try house.writer.emptyLog())
            return try ["", "-wal"].compactMap { suffix in
                let path = house.directory.path + "/watchwise.db" + suffix
                guard FileManager.default.fileExists(atPath: path) else { return nil }
                let content = try Data(contentsOf: URL(fileURLWithPath: path))
                guard let found = content.range(of: Data(Self.name.utf8)) else { return nil }
                let around = content[max(0, found.lowerBound - 80)..<min(content.count, found.upperBound + 80)]
                return String(decoding: around.map { (0x20...0x7e).contains($0) ? $0 : 0x2e }, as: UTF8.self)
            }
        }

        // MARK: Attempts

        /// Everything that names the person, with the field of the refusal.
        var attempts: [(field: String, attempt: () throws -> Void)] {
            let name = Self.name
            return [
                ("to", { try house.send("bob", name) }), ("to", { try house.recommend("bob", name) }),
                ("to", { try house.send("carol", name) }), ("topic", { try house.follow("dora", "user:\(name)") }),
                ("members", { try house.invite("bob", room, [name]) }),
                ("members", { _ = try house.room("bob", [name]) }),
                ("user", { try house.remove("bob", room, name, ban: true) }),
                ("user", { try house.setRole("bob", room, name, .moderator) }),
                ("user", { try house.mute("bob", room, name, until: house.now.adding(milliseconds: 60_000)) }),
                ("user", { try house.report("bob", name) }), ("user", { try house.block("bob", name) }),
                ("user", { try house.restrict(name, .ban) }),
                ("user", { try house.write(SetLimits(nil, of: user(name), key: nil), by: "admin") }),
                (
                    "user",
                    {
                        let tokens = RevokeTokens.Subject.user(try user(name), issuedUpTo: nil)
                        try house.write(RevokeTokens(tokens, until: nil, reason: nil, key: nil), by: "admin")
                    }
                ),
                (
                    "user",
                    {
                        let set: JSONObject = ["locale": "it"]
                        try house.write(
                            ChangePreferences(set, of: user(name), replacing: false, key: nil), by: "admin")
                    }
                ),
                ("user", { try house.write(RegisterUser(user(name), deviceLanguage: nil), by: "server") }),
                ("audience", { try house.write(SendBroadcast(house.order("user:\(name)"), key: nil), by: "admin") }),
                ("path", { try put("users/\(name)/tasks/2") }), ("path", { try put("users/\(name)/followers/bob") }),
                ("user", { try put("people/525/followers/\(name)") }),
            ]
        }
    }

    @Test(arguments: ErasurePhase.allCases.dropLast(), [false, true])
    func `nobody writes anything that names the person, and nothing is left in the end`(
        phase: ErasurePhase, isKilled: Bool
    ) throws {
        let world = try World()
        try world.erase(until: phase)
        if isKilled { try world.kill() }
        for (number, (field, attempt)) in world.attempts.enumerated() {
            let refusal = #expect(throws: Refusal.self, "\(number)") { try attempt() }
            #expect(refusal?.code == .notFound && refusal?.field == field, "\(number): \(refusal?.message ?? "")")
        }
        try checkChat(of: world, isRenamed: phase.rawValue > ErasurePhase.names.rawValue)
        // A write of the person's own that waited.
        let late = try SendMessage(
            SendCommand(recipient: .chat(chat(world.room)), text: "late", replyTo: nil, key: world.house.key()))
        let refusal = #expect(throws: Refusal.self) { try world.house.commit(late, by: world.person) }
        #expect(refusal?.code == .forbidden && refusal?.field == "token")
        try world.house.follow("bob", "user:\(World.name)", isOn: false)
        try world.erase(until: .files)
        _ = try world.house.fact(of: FinishErasure(1), by: "server")
        #expect(try world.traces() == [])
        #expect(throws: Refusal.self) { try world.house.commit(late, by: world.person) }
        guard case .user(let id, _, _) = world.person, let key = late.key else { return }
        #expect(try world.house.look { try $0.keys.find(key.text, of: id) } == nil, "its refusal is not kept, either")
    }

    /// Words of others in the chat are theirs. The chat has another name from that phase on.
    private func checkChat(of world: World, isRenamed: Bool) throws {
        let house = world.house
        let send = { try house.send("bob", world.chat, "words of bob") }
        let react = { try house.react("bob", world.chat, 1, "👍") }
        guard !isRenamed else {
            for write in [send, react] {
                let refusal = #expect(throws: Refusal.self) { try write() }
                #expect(refusal?.code == .notFound && refusal?.field == "chat")
            }
            return
        }
        let before = try house.counts(World.name).notifications
        #expect(try send()["n"] == 3)
        _ = try react()
        #expect(try house.counts(World.name).notifications == before, "nothing notifies the person any more")
    }

    @Test func `moderators decide on a report about somebody who is erased`() throws {
        for phase in [ErasurePhase.followers, .files] {
            let world = try World()
            try world.erase(until: phase)
            try world.house.decide(1, .ban)
            try world.erase(until: .files)
            _ = try world.house.fact(of: FinishErasure(1), by: "server")
            let pseudonym = try #require(UserID(pseudonym: "4f2c"))
            let number = try #require(try world.house.look { try $0.users.number(of: pseudonym) })
            #expect(try world.house.look { try $0.restrictions.find(.ban, of: number) } == nil)
            #expect(try world.traces() == [])
        }
    }

    @Test func `a room has one member less for everybody who hears of it, and for those who come later`() throws {
        let world = try World()
        let sessions = [try world.house.connect("bob"), try world.house.connect("carol")]
        try world.erase(until: .files)
        try world.house.leave("carol", world.room)
        for (session, counts) in zip(sessions, [[2, 1], [2, 1]] as [[JSONValue]]) {
            let changes = session.events.filter { $0["type"] == "room" && $0["change"] == "left" }
            #expect(changes.map { $0["room"]?["members"] } == counts, "\(changes.map(\.text))")
        }
        #expect(try world.house.roles("bob", world.room).count == 1)
        try world.house.invite("bob", world.room, ["dora"])
        #expect(sessions[0].events.last?["room"]?["members"] == 2)
    }
}
