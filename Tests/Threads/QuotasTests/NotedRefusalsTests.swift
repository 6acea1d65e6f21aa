import Model
import Testing

@testable import Quotas

/// Which refusals of users leave a row in the audit.
struct NotedRefusalsTests {
    private func user(_ number: Int) throws -> UserID { try #require(UserID("u\(number)")) }

    @Test func `one refusal in a minute is noted, and the next one counts those between`() throws {
        let refusals = NotedRefusals()
        let (alice, bob) = (try user(1), try user(2))
        #expect(refusals.take(alice, at: 1_000) == 0)
        for _ in 1...500 { #expect(refusals.take(alice, at: 30_000) == nil) }
        #expect(refusals.take(bob, at: 30_000) == 0, "each user has a row of his own")
        #expect(refusals.take(alice, at: 60_999) == nil)
        #expect(refusals.take(alice, at: 61_000) == 501)
        #expect(refusals.take(alice, at: 200_000) == 0)
    }

    @Test func `refusals that another node has left out are counted, too`() throws {
        let refusals = NotedRefusals()
        let alice = try user(1)
        #expect(refusals.take(alice, besides: 7, at: 0) == 7)
        #expect(refusals.take(alice, besides: 3, at: 1) == nil)
        #expect(refusals.take(alice, at: NotedRefusals.milliseconds) == 4)
    }

    @Test func `when there are more users than places, later users leave no row`() throws {
        let refusals = NotedRefusals()
        for number in 0..<NotedRefusals.usersMax { #expect(refusals.take(try user(number), at: 0) == 0) }
        for number in 0..<5_000 { #expect(refusals.take(try user(10_000 + number), at: 59_999) == nil) }
        #expect(refusals.take(try user(20_000), at: 60_000) == 0)
    }
}
