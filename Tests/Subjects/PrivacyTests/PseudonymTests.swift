import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import Privacy
import ServicesTestSupport
import Store
import Testing

@testable import Services

/// The name that an erased person has for others, which opens and reaches nothing.
@Suite struct PseudonymTests {
    private static func houseWithoutAlice() throws -> (House, UserID) {
        let house = try House.filmNetwork()
        for name in ["alice", "bob"] { _ = try house.actor(name) }
        try house.follow("bob", "user:alice")
        try house.send("bob", "alice", "hello")
        _ = try house.erase("alice")
        return (house, try #require(UserID(pseudonym: "4f2c")))
    }

    @Test func `nobody follows or blocks a pseudonym, and nothing notifies it`() throws {
        let (house, pseudonym) = try Self.houseWithoutAlice()
        #expect(try house.chats("bob").texts("chats", "with") == ["~4f2c"])
        let number = try #require(try house.look { try $0.users.number(of: pseudonym) })
        let writes: [any WriteUseCase] = [
            FollowTopic(Topic(user: pseudonym), isOn: true, key: nil), BlockUser(pseudonym, isOn: true, key: nil),
        ]
        for write in writes {
            let refusal = try house.refusal(of: ["bob"]) { try house.write(write, by: "bob") }
            #expect(refusal.code == .notFound, "\(refusal)")
        }
        try house.broadcast("user:~4f2c")
        #expect(try house.look { try $0.users.find(number)?.unreadInbox } == 0)
    }

    @Test func `pseudonyms of an earlier version, which look like user ids, stay refused`() throws {
        let house = try House.filmNetwork()
        let (name, key) = (try user("gone-4f2c"), String(repeating: "0", count: 64))
        _ = try house.commit(KeepErasure(pseudonym: name, key: key), by: .server)
        let names = try house.look { try ErasedNames(in: $0) }
        #expect(throws: Refusal.self) { try names.check(name, issuedAt: house.now, at: house.now) }
        #expect(try house.refusal { try house.write(InviteUser(name, key: nil), by: "admin") }.code == .conflict)
        let refusal = try house.refusal { try house.write(RegisterUser(name, deviceLanguage: nil), by: "server") }
        #expect(refusal.code == .forbidden)
    }
}

/// An erasure as an earlier version has left it.
private struct KeepErasure: WriteUseCase {
    let pseudonym: UserID
    let key: String

    func perform(in context: WriteContext) throws -> AnswerFact {
        let erasures = context.transaction.erasures
        try erasures.setKey(key)
        let erased = ErasedName(hash: "x", at: context.now, until: context.now, isInvited: false)
        try erasures.insert(
            ErasureEntry(
                id: 1, erased: erased, user: .nobody, name: nil, pseudonym: pseudonym, mode: "redact", documents: "[]",
                finished: context.now))
        _ = try context.transaction.appendSilently()
        return .erased
    }
}
