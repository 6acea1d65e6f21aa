import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing

struct RevocationUseCaseTests {
    private let house: House

    init() throws { house = try House() }

    private func changes() throws -> [SessionChange] {
        try #require(house.commits.last).compactMap { if case .change(let change) = $0 { change } else { nil } }
    }

    private func revoke(_ subject: RevokeTokens.Subject, until: Timestamp? = nil, key: String? = nil) throws
        -> JSONValue
    {
        let key = key.flatMap { WriteKey($0) }
        return try house.write(RevokeTokens(subject, until: until, reason: nil, key: key), by: "admin")
    }

    @Test func `a revocation without an end is kept for ten years, and the sessions hear of it`() throws {
        let answer = try revoke(.token("a"))
        let until = house.now.adding(milliseconds: Limits.revocationMilliseconds)
        #expect(answer["until"] == .string(until.text))
        #expect(answer["by"] == "admin")
        guard case .revoked(let revocation)? = try changes().first else {
            Issue.record("the sessions hear nothing")
            return
        }
        #expect(revocation == Revocation(.token("a"), until: until))
    }

    @Test func `an instant that lies ahead is the present`() throws {
        let alice = try user("alice")
        let answer = try revoke(.user(alice, issuedUpTo: house.now.adding(milliseconds: 60_000)))
        #expect(answer["before"] == .string(house.now.text))
    }

    @Test func `a repetition with its key says the same and changes nothing`() throws {
        let first = try revoke(.token("a"), key: "k")
        house.now = house.now.adding(milliseconds: 5000)
        #expect(try revoke(.token("a"), key: "k") == first)
        #expect(try changes().isEmpty)
        #expect(throws: Refusal.self) { try revoke(.token("b"), key: "k") }
    }

    @Test func `more than the limit is refused until some are over`() throws {
        let over = house.now.adding(milliseconds: 1000)
        _ = try house.writer.commit([()]) { _, transaction in
            for number in 0..<Limits.revocationsMax {
                let revocation = Revocation(.token("t\(number)"), until: over)
                _ = try transaction.revocations.put(revocation, at: house.now, by: "x", reason: nil)
            }
        } refuse: { error in
            _ = Issue.record(error)
        }
        let refusal = #expect(throws: Refusal.self) { try revoke(.token("a")) }
        #expect(refusal?.code == .tooMany)
        house.now = over
        _ = try revoke(.token("a"))
        #expect(try house.look { try $0.revocations.count(at: house.now) } == 1)
    }

    @Test func `the sessions hear of a kick before the revocation that goes with it`() throws {
        let mallory = try user("mallory")
        #expect(throws: Refusal.self) {
            try house.write(KickUser(mallory, reason: nil, revokes: false, key: nil), by: "admin")
        }
        let answer = try house.write(KickUser(mallory, reason: "spam", revokes: true, key: nil), by: "admin")
        #expect(answer["revocation"]?.stringValue != nil)
        let changes = try changes()
        #expect(changes.count == 2)
        guard case .kicked(mallory, reason: "spam")? = changes.first, case .revoked? = changes.last else {
            Issue.record("\(changes)")
            return
        }
    }
}
