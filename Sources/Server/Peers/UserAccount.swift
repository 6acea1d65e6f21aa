import Model
import Synchronization

/// What one user causes at the moment, over all connections and loops, and how much of that the server bears.
///
/// Both rates are kept as a time that runs ahead of the clock (the generic cell rate algorithm): what is taken moves it
/// on, and when it is ahead by more than the burst, no more is given. So a rate is one number that threads can share.
///
/// - Confinement: any
final class UserAccount: Sendable {
    /// The bytes of what this user waits for: writes and reads that are handed over and not answered.
    private let waiting = Atomic<Int>(0)
    /// When all weight that was taken will be given back, in microseconds.
    private let weightReturns = Atomic<Int64>(0)
    /// When all bytes that were written will be forgotten, in nanoseconds.
    private let bytesReturn = Atomic<Int64>(0)
    /// What the sessions of this user hold.
    let share = PeerShare()
    /// When all bytes that were inflated beyond what a connection may will be forgotten, in microseconds.
    private let inflationReturns = Atomic<Int64>(0)
    /// Changed under the lock of its table alone.
    fileprivate let sessions = Atomic<Int>(0)

    /// Sessions that the user has.
    var sessionCount: Int { sessions.load(ordering: .relaxed) }

    /// Of what this user waits for.
    var waitingBytes: Int { waiting.load(ordering: .relaxed) }

    /// So much more waits, or less.
    func wait(_ bytes: Int) { waiting.add(bytes, ordering: .relaxed) }

    /// Takes the weight of a command.
    ///
    /// - Parameter now: monotonic milliseconds.
    /// - Returns: nil when it may come; otherwise the milliseconds to wait.
    func take(_ weight: Int, at now: Int64) -> Int64? {
        let now = now * 1000
        let cost = Int64(weight) * 1_000_000 / Int64(Limits.userWeightPerSecond)
        let burst = Int64(Limits.userWeightBurst) * 1_000_000 / Int64(Limits.userWeightPerSecond)
        var returns = weightReturns.load(ordering: .relaxed)
        while true {
            let next = max(returns, now) + cost
            guard next - now <= burst else { return (next - now - burst) / 1000 + 1 }
            let (isExchanged, original) = weightReturns.weakCompareExchange(
                expected: returns, desired: next, ordering: .relaxed)
            if isExchanged { return nil }
            returns = original
        }
    }

    /// Takes bytes that messages grew by when they were inflated, more than what they came in gives their connection.
    ///
    /// - Returns: false when that is too much by now.
    func takeInflated(_ bytes: Int, at now: Int64) -> Bool {
        let now = now * 1000
        let cost = Int64(bytes) * 1_000_000 / Int64(Limits.inflatedBytesPerSecond)
        let burst = Int64(Limits.inflatedBytesFree) * 1_000_000 / Int64(Limits.inflatedBytesPerSecond)
        // Two threads that come at once may both be let in.
        guard max(inflationReturns.load(ordering: .relaxed), now) + cost - now <= burst else { return false }
        Self.add(cost, to: inflationReturns, at: now)
        return true
    }

    /// A command that was taken cost so much more than its weight, as its answer shows: later ones wait for that.
    func charge(_ weight: Int, at now: Int64) {
        guard weight > 0 else { return }
        let cost = Int64(weight) * 1_000_000 / Int64(Limits.userWeightPerSecond)
        Self.add(cost, to: weightReturns, at: now * 1000)
    }

    /// Charges the user for work that took long: no weight that is known before can say what a command finds.
    ///
    /// - Parameters:
    ///   - microseconds: that it took.
    ///   - now: when it was asked for, by the loop's clock.
    func charge(microseconds: Int64, at now: Int64) {
        guard microseconds >= Limits.longWorkMilliseconds * 1000 else { return }
        charge(Int(microseconds) * Limits.weightPerMillisecond / 1000, at: now)
    }

    /// Whether the user may write, or has written so much that it must wait.
    ///
    /// - Returns: nil when it may; otherwise the milliseconds to wait.
    func writeWait(at now: Int64) -> Int64? {
        let excess = bytesReturn.load(ordering: .relaxed) - now * 1_000_000 - Self.hour
        return excess <= 0 ? nil : excess / 1_000_000 + 1
    }

    /// So much was written. Half of what an hour allows may come at once, and the other half evenly in the hour: so
    /// that no hour has more, wherever it begins.
    func wrote(_ bytes: Int, anHour allowed: Int, at now: Int64) {
        let cost = Int64(Double(bytes) / Double(allowed) * 2 * Double(Self.hour))
        Self.add(cost, to: bytesReturn, at: now * 1_000_000)
    }

    private static func add(_ cost: Int64, to time: borrowing Atomic<Int64>, at now: Int64) {
        var returns = time.load(ordering: .relaxed)
        while true {
            let (isExchanged, original) = time.weakCompareExchange(
                expected: returns, desired: max(returns, now) + cost, ordering: .relaxed)
            if isExchanged { return }
            returns = original
        }
    }

    /// An hour in nanoseconds.
    private static let hour: Int64 = 3_600_000_000_000

    /// Whether nothing is known of this user that a new account would not say, too.
    fileprivate func isIdle(at now: Int64) -> Bool {
        sessions.load(ordering: .relaxed) == 0 && waitingBytes == 0
            && weightReturns.load(ordering: .relaxed) <= now * 1000
            && bytesReturn.load(ordering: .relaxed) <= now * 1_000_000
            && inflationReturns.load(ordering: .relaxed) <= now * 1000
    }
}

/// The accounts of all users that are here, or were a moment ago.
///
/// A session, or a request, looks its account up once. Accounts that say nothing any more go, a part of the table
/// each second, so that it holds those alone that are here or have written much.
///
/// - Confinement: any
final class UserAccounts: Sendable {
    /// A part of the table under a lock of its own.
    ///
    /// - Confinement: any
    private final class Shard: Sendable {
        /// Protected by its lock.
        let accounts = Mutex<[UserID: UserAccount]>([:])
    }

    /// Sessions that one user may have.
    let sessionsMax: Int
    private let shards: [Shard]
    private let nextShard = Atomic<Int>(0)

    init(sessionsMax: Int) {
        self.sessionsMax = sessionsMax
        shards = (0..<16).map { _ in Shard() }
    }

    /// Accounts that are kept.
    var count: Int { shards.reduce(0) { count, shard in count + shard.accounts.withLock { $0.count } } }

    /// The account of a user.
    func find(_ user: UserID) -> UserAccount {
        shard(of: user).accounts.withLock { Self.find(user, in: &$0) }
    }

    /// Takes a place for one more session.
    ///
    /// - Returns: the user's account; nil when all places are taken.
    func takeSession(_ user: UserID) -> UserAccount? {
        shard(of: user).accounts.withLock { accounts in
            let account = Self.find(user, in: &accounts)
            guard account.sessions.load(ordering: .relaxed) < sessionsMax else { return nil }
            account.sessions.add(1, ordering: .relaxed)
            return account
        }
    }

    /// Gives the place of a session back. What another session takes at the same moment does no harm.
    func giveSession(_ account: UserAccount) { account.sessions.subtract(1, ordering: .relaxed) }

    /// Forgets the idle accounts in the next part of the table.
    func forgetIdle(at now: Int64) {
        let number = nextShard.add(1, ordering: .relaxed).oldValue % shards.count
        shards[number].accounts.withLock { accounts in
            let idle = accounts.filter { $0.value.isIdle(at: now) }
            // A table keeps the room that it once had: one that is nearly empty is made anew.
            if idle.count * 2 > accounts.count {
                accounts = accounts.filter { idle[$0.key] == nil }
            } else {
                for user in idle.keys { accounts[user] = nil }
            }
        }
    }

    private static func find(_ user: UserID, in accounts: inout [UserID: UserAccount]) -> UserAccount {
        if let account = accounts[user] { return account }
        let account = UserAccount()
        accounts[user] = account
        return account
    }

    private func shard(of user: UserID) -> Shard { shards[abs(user.hashValue % shards.count)] }
}
