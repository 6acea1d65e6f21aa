import Foundation
import Model
import Testing
@testable import Quotas

/// The load that one user may cause, over all connections.
struct UserAccountTests {
    @Test func `weight is taken up to the burst, then as fast as it returns`() {
        let account = UserAccount()
        let now: Int64 = 1_000_000
        for _ in 0..<(Limits.userWeightBurst / 20) { #expect(account.take(20, at: now) == nil) }
        let wait = account.take(20, at: now) ?? 0
        #expect((1...5).contains(wait))
        #expect(account.take(20, at: now + wait) == nil)
        account.charge(Limits.userWeightPerSecond, at: now)
        #expect((990...1010).contains(account.take(20, at: now + wait) ?? 0))
    }

    @Test func `after the wait a message may come with all of its parts`() {
        let account = UserAccount()
        let now: Int64 = 1_000_000
        #expect(account.take(Limits.userWeightBurst, at: now) == nil)
        #expect(account.take(16, at: now) != nil)
        let wait = account.take(117, at: now) ?? 0
        #expect(account.take(16, at: now + wait) == nil)
        #expect(account.take(101, at: now + wait) == nil)
    }

    @Test func `threads that take at once take no more together than there is`() async {
        let account = UserAccount()
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<2000).count { _ in account.takeInflated(1024, at: 1000) } }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == CompressionLimits.inflatedBytesFree / 1024)
    }

    @Test func `no hour has more bytes than are allowed, wherever it begins`() {
        let account = UserAccount()
        let allowed = 1 << 20
        var written: [(at: Int64, bytes: Int)] = []
        for now in stride(from: Int64(5_000_000), to: 5_000_000 + 3 * 3_600_000, by: 1000) {
            while account.writeWait(anHour: allowed, at: now) == nil {
                account.wrote(1000, anHour: allowed, at: now)
                written.append((now, 1000))
            }
        }
        for start in stride(from: Int64(5_000_000), to: 5_000_000 + 2 * 3_600_000, by: 60_000) {
            let sum = written.reduce(0) { (start..<start + 3_600_000).contains($1.at) ? $0 + $1.bytes : $0 }
            #expect(sum <= allowed + 2000)
        }
        #expect(written.count > 2 * allowed / 1000)
        let wait = account.writeWait(anHour: allowed, at: 5_000_000 + 3 * 3_600_000) ?? 0
        #expect(wait < 8000)
    }

    @Test func `accounts that say nothing any more are forgotten, those that do stay`() throws {
        let accounts = UserAccounts<UserID>(sessionsMax: 2)
        let users = (0..<1000).compactMap { UserID("u\($0)") }
        for user in users { _ = accounts.find(user).take(1, at: 1000) }
        let here = try #require(accounts.takeSession(users[0]))
        accounts.find(users[1]).charge(1_000_000, at: 1000)
        #expect(accounts.count == 1000)
        for _ in 0..<16 { accounts.forgetIdle(at: 1000 + 60_000) }
        #expect(accounts.count == 2)
        #expect(accounts.find(users[0]) === here)
        #expect(accounts.takeSession(users[0]) != nil)
        #expect(accounts.takeSession(users[0]) == nil)
        accounts.giveSession(here)
        #expect(accounts.takeSession(users[0]) != nil)
    }

    @Test func `places on other nodes count`() throws {
        let accounts = UserAccounts<UserID>(sessionsMax: 3)
        let user = try #require(UserID("many"))
        #expect(accounts.takeSession(user, besides: 3) == nil)
        #expect(accounts.takeSession(user, besides: 2) != nil)
        #expect(accounts.takeSession(user, besides: 2) == nil)
        #expect(accounts.takeSession(user) != nil)
    }

    @Test func `a new user has an expected cost, a known user the measured one, and one slow piece is forgotten`() {
        let mean = WorkMean()
        #expect(mean.expected == WorkMean.ofUnknown)
        #expect(mean.mean < WorkMean.ofUnknown)
        mean.note(5000)
        #expect((mean.mean, mean.expected) == (5000, 5000))
        for _ in 0..<50 { mean.note(100) }
        #expect((100...120).contains(mean.mean))
    }

    @Test func `one user's connections share one pace`() throws {
        let accounts = UserAccounts<UserID>(sessionsMax: 10)
        let user = try #require(UserID("many"))
        let other = try #require(UserID("other"))
        let session = try #require(accounts.takeSession(user))
        while session.take(20, at: 1000) == nil {}
        // A second session, and a request over HTTP, use the same account, which the first one has used up.
        let second = try #require(accounts.takeSession(user))
        #expect(second.take(20, at: 1000) != nil)
        #expect(accounts.find(user).take(20, at: 1000) != nil)
        #expect(accounts.find(other).take(20, at: 1000) == nil)
    }
}
