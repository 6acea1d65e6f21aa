import ClientProtocol
import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing

/// Documents elsewhere that an erased person wrote by right of a rule.
struct ErasureDocumentTests {
    /// Erases alice after she has written a review.
    private func erase(documents: [String]) throws -> (house: House, erasure: ErasureEntry) {
        let house = try House.filmNetwork()
        for person in ["alice", "admin"] { _ = try house.actor(person) }
        try house.openReviews()
        _ = try house.review("alice", "7")
        let chance = ErasureChance(String(repeating: "4f2c", count: 24))
        let answer = try house.write(
            EraseUser(try user("alice"), .redact, documents: documents, chance: chance, key: nil), by: "admin")
        #expect(answer["erasure"] == "x1" && answer["pseudonym"] == "gone-4f2c")
        while try house.look({ try $0.erasures.running()?.phase }) != ErasurePhase.files.rawValue {
            _ = try house.fact(of: EraseSlice(), by: "server")
        }
        _ = try house.fact(of: FinishErasure(1), by: "server")
        let erasure = try #require(try house.look { try $0.erasures.find(1) })
        #expect(erasure.name == nil && erasure.finished != nil)
        return (house, erasure)
    }

    @Test func `a document elsewhere stays, and the certificate lists it`() throws {
        let (house, erasure) = try erase(documents: [])
        #expect(erasure.kept == #"["reviews/7"]"#)
        #expect(try house.look { try $0.documents.find(DocumentPath("reviews/7"))?.body } != nil)
        let version = try #require(
            try house.look { transaction in
                try transaction.history.positions(of: "reviews/7", before: Position(Position.bound), limit: 1).first
                    .flatMap { try transaction.history.find($0) }
            })
        #expect(version.by == "user gone-4f2c")
    }

    @Test func `a pattern takes it, with its versions`() throws {
        let (house, erasure) = try erase(documents: ["reviews/*"])
        #expect(erasure.kept == "[]")
        #expect(try house.look { try $0.documents.find(DocumentPath("reviews/7")) } == nil)
        #expect(
            try house.look {
                try $0.history.positions(of: "reviews/7", before: Position(Position.bound), limit: 1)
            }.isEmpty)
    }

    @Test func `nobody follows, blocks or invites a person whose erasure is at work`() throws {
        let house = try House.filmNetwork()
        for person in ["alice", "bob", "admin"] { _ = try house.actor(person) }
        try house.follow("bob", "user:alice")
        let room = try house.room("bob")
        let chance = ErasureChance(String(repeating: "4f2c", count: 24))
        try house.write(EraseUser(try user("alice"), .redact, documents: [], chance: chance, key: nil), by: "admin")
        while try house.look({ try $0.erasures.running()?.phase }) != ErasurePhase.inbox.rawValue {
            _ = try house.fact(of: EraseSlice(), by: "server")
        }
        let attempts: [() throws -> JSONValue] = [
            { try house.follow("bob", "user:alice") },
            { try house.write(BlockUser(user("alice"), isOn: true, key: nil), by: "bob") },
            { try house.invite("bob", room, ["alice"]) },
        ]
        for attempt in attempts {
            let refusal = try house.refusal(of: ["bob"], attempt)
            #expect(refusal.code == .notFound)
        }
        try house.follow("bob", "user:alice", isOn: false)
    }

    @Test func `nobody makes the name known again until it is invited`() throws {
        let (house, _) = try erase(documents: [])
        _ = try house.actor("bob")
        let refusal = try house.refusal(of: ["bob"]) { try house.follow("bob", "user:alice") }
        #expect(refusal.code == .notFound)
        let restrict = try house.refusal(of: ["bob"]) {
            try house.write(
                RestrictUser(try user("alice"), .mute, until: nil, reason: "spam", key: nil), by: "admin")
        }
        #expect(restrict.code == .notFound)
        #expect(try house.write(InviteUser(try user("alice"), key: nil), by: "admin")["isNew"] == true)
        #expect(try house.look { try $0.users.number(of: user("alice")) } != nil)
    }
}
