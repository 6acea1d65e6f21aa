import Model
import Synchronization

/// What one user, or the strangers of one network, causes at the moment, over all connections and loops, and how much of
/// that the server bears.
///
/// - Confinement: any
package final class UserAccount: Sendable {
    /// The bytes of what this user waits for: writes and reads that are handed over and not answered.
    private let waiting = Atomic<Int>(0)
    /// The writer's time that this user waits for, in microseconds, as far as is known.
    private let work = Atomic<Int>(0)
    /// What one write of this user takes of the writer's time, and one read of a reader's.
    package let write = WorkMean()
    package let read = WorkMean()
    private let weight = RateUse()
    private let written = RateUse()
    private let inflated = RateUse()
    /// What the sessions of this user hold.
    package let share = PeerShare()
    /// Changed under the lock of its table alone.
    fileprivate let sessions = Atomic<Int>(0)

    /// Sessions that the user has.
    package var sessionCount: Int { sessions.load(ordering: .relaxed) }

    /// Of what this user waits for.
    package var waitingBytes: Int { waiting.load(ordering: .relaxed) }

    /// Microseconds of the writer's time that this user waits for.
    package var waitingWork: Int { work.load(ordering: .relaxed) }

    /// So much more waits, or less.
    package func wait(_ bytes: Int) { waiting.add(bytes, ordering: .relaxed) }

    /// So much more of the writer's time is waited for, or less.
    package func wait(microseconds: Int) { work.add(microseconds, ordering: .relaxed) }

    /// Takes the weight of a command.
    ///
    /// - Parameter now: monotonic milliseconds.
    /// - Returns: nil when it may come; otherwise the milliseconds to wait.
    package func take(_ weight: Int, at now: Int64) -> Int64? { self.weight.take(weight, of: .weight, at: now) }

    /// Takes bytes that messages grew by when they were inflated, more than what they came in gives their connection.
    ///
    /// - Returns: false when that is too much by now.
    package func takeInflated(_ bytes: Int, at now: Int64) -> Bool {
        inflated.take(bytes, of: .inflation, at: now) == nil
    }

    /// A command that was taken cost so much more than its weight, as its answer shows: later ones wait for that.
    package func charge(_ weight: Int, at now: Int64) {
        if weight > 0 { self.weight.add(weight, of: .weight, at: now) }
    }

    /// Charges the user for work that took long: no weight that is known before can say what a command finds.
    ///
    /// - Parameters:
    ///   - microseconds: that it took.
    ///   - now: when it was asked for, by the loop's clock.
    package func charge(microseconds: Int64, at now: Int64) {
        guard microseconds >= Limits.longWorkMilliseconds * 1000 else { return }
        charge(Int(microseconds) * Limits.weightPerMillisecond / 1000, at: now)
    }

    /// Whether the user may write, or has written so much that it must wait.
    ///
    /// - Parameter allowed: bytes in an hour.
    /// - Returns: nil when it may; otherwise the milliseconds to wait.
    package func writeWait(anHour allowed: Int, at now: Int64) -> Int64? {
        written.wait(of: .writing(anHour: allowed), at: now)
    }

    /// So much was written.
    package func wrote(_ bytes: Int, anHour allowed: Int, at now: Int64) {
        written.add(bytes, of: .writing(anHour: allowed), at: now)
    }

    /// Whether nothing is known of this user that a new account would not say, too.
    fileprivate func isIdle(at now: Int64) -> Bool {
        sessions.load(ordering: .relaxed) == 0 && waitingBytes == 0
            && weight.isForgotten(at: now) && written.isForgotten(at: now) && inflated.isForgotten(at: now)
    }
}

extension Rate {
    /// What the commands of one user may weigh.
    fileprivate static let weight = Rate(
        perSecond: Double(Limits.userWeightPerSecond), burst: Double(Limits.userWeightBurst))
    /// What the messages of one user may inflate to, beyond what is usual.
    fileprivate static let inflation = Rate(
        perSecond: Double(Limits.inflatedBytesPerSecond), burst: Double(Limits.inflatedBytesFree))

    /// What one user may write. Half of what an hour allows may come at once, and the other half evenly in the hour: so
    /// that no hour has more, wherever it begins.
    fileprivate static func writing(anHour allowed: Int) -> Rate {
        Rate(perSecond: Double(allowed) / 7200, burst: Double(allowed) / 2)
    }
}

/// The accounts of all users, or networks of strangers, that are here, or were a moment ago.
///
/// A session, or a request, looks its account up once. Accounts that say nothing any more go, a part of the table
/// each second, so that it holds those alone that are here or have written much.
///
/// - Confinement: any
package final class UserAccounts<Owner: Hashable & Sendable>: Sendable {
    /// A part of the table under a lock of its own.
    ///
    /// - Confinement: any
    private final class Shard: Sendable {
        /// Protected by its lock.
        let accounts = Mutex<[Owner: UserAccount]>([:])
    }

    /// Sessions that one of them may have.
    package let sessionsMax: Int
    private let shards: [Shard]
    private let nextShard = Atomic<Int>(0)

    package init(sessionsMax: Int) {
        self.sessionsMax = sessionsMax
        shards = (0..<16).map { _ in Shard() }
    }

    /// Accounts that are kept.
    package var count: Int { shards.reduce(0) { count, shard in count + shard.accounts.withLock { $0.count } } }

    /// The account of a user or network.
    package func find(_ user: Owner) -> UserAccount {
        shard(of: user).accounts.withLock { Self.find(user, in: &$0) }
    }

    /// Takes a place for one more session.
    ///
    /// - Returns: the user's account; nil when all places are taken.
    package func takeSession(_ user: Owner) -> UserAccount? {
        shard(of: user).accounts.withLock { accounts in
            let account = Self.find(user, in: &accounts)
            guard account.sessions.load(ordering: .relaxed) < sessionsMax else { return nil }
            account.sessions.add(1, ordering: .relaxed)
            return account
        }
    }

    /// Gives the place of a session back. What another session takes at the same moment does no harm.
    package func giveSession(_ account: UserAccount) { account.sessions.subtract(1, ordering: .relaxed) }

    /// Forgets the idle accounts in the next part of the table.
    package func forgetIdle(at now: Int64) {
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

    private static func find(_ user: Owner, in accounts: inout [Owner: UserAccount]) -> UserAccount {
        if let account = accounts[user] { return account }
        let account = UserAccount()
        accounts[user] = account
        return account
    }

    private func shard(of user: Owner) -> Shard { shards[abs(user.hashValue % shards.count)] }
}
