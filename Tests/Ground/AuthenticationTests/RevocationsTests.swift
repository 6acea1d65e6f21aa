import Authentication
import Model
import Testing

@Suite struct RevocationsTests {
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    private func user(_ name: String) throws -> UserID { try #require(UserID(name)) }

    @Test func `a token is found by its name until its time is over`() throws {
        let alice = try user("alice")
        let until = now.adding(milliseconds: 1000)
        let revocations = Revocations([Revocation(.token("a"), until: until)])
        #expect(revocations.cover(tokenID: "a", of: alice, issuedAt: now, at: now))
        #expect(!revocations.cover(tokenID: "b", of: alice, issuedAt: now, at: now))
        #expect(!revocations.cover(tokenID: nil, of: alice, issuedAt: nil, at: now))
        #expect(!revocations.cover(tokenID: "a", of: alice, issuedAt: now, at: until))
    }

    @Test func `the revocation of a user covers tokens issued before its instant, and tokens without a time of issue`()
        throws
    {
        let (alice, bob) = (try user("alice"), try user("bob"))
        let revocations = Revocations([
            Revocation(.user(alice, issuedUpTo: now), until: now.adding(milliseconds: 1000))
        ])
        #expect(revocations.cover(tokenID: "a", of: alice, issuedAt: now, at: now))
        #expect(revocations.cover(tokenID: nil, of: alice, issuedAt: nil, at: now))
        #expect(!revocations.cover(tokenID: "a", of: alice, issuedAt: now.adding(milliseconds: 1), at: now))
        #expect(!revocations.cover(tokenID: "a", of: bob, issuedAt: now, at: now))
    }

    @Test func `a token is good again when its revocation is lifted`() throws {
        let alice = try user("alice")
        var revocations = Revocations()
        for subject in [.token("a"), .user(alice, issuedUpTo: now)] as [Revocation.Subject] {
            revocations.add(Revocation(subject, until: now.adding(milliseconds: 1000)), at: now)
            #expect(revocations.cover(tokenID: "a", of: alice, issuedAt: now, at: now))
            revocations.lift(subject)
            #expect(!revocations.cover(tokenID: "a", of: alice, issuedAt: now, at: now))
        }
    }

    @Test func `those that are over do not pile up`() throws {
        var revocations = Revocations()
        for number in 0..<20_000 {
            let at = now.adding(milliseconds: Int64(number))
            revocations.add(Revocation(.token("t\(number)"), until: at.adding(milliseconds: 100)), at: at)
        }
        #expect(revocations.count <= 1024)
    }

    @Test func `names of tokens differ and fit into a string without memory of its own`() {
        let names = Set((0..<1000).map { _ in Claims.newTokenID() })
        #expect(names.count == 1000)
        #expect(names.allSatisfy { $0.utf8.count == 15 })
    }
}
