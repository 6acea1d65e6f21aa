import Model
import Synchronization

/// The load that one user causes at the moment over all connections and loops, or that all clients without a known user
/// cause from one network; and the bounds on it.
///
/// - Confinement: any
package final class UserAccount: Sendable {
    /// The bytes of the user's writes and reads that are handed over and not answered yet.
    private let waiting = Atomic<Int>(0)
    /// The estimated time in microseconds that the writer needs for the user's waiting writes.
    private let work = Atomic<Int>(0)
    /// The mean time of this user's writes on the writer, and of the reads on a reader.
    package let write = WorkMean()
    package let read = WorkMean()
    private let weight = RateUse()
    private let written = RateUse()
    private let inflated = RateUse()
    /// The bytes that the user's sessions hold.
    package let share = PeerShare()
    /// Changed only under the lock of its table.
    fileprivate let sessions = Atomic<Int>(0)

    /// The user's sessions.
    package var sessionCount: Int { sessions.load(ordering: .relaxed) }

    /// The bytes of the user's work that waits.
    package var waitingBytes: Int { waiting.load(ordering: .relaxed) }

    /// The writer's time that the user's writes wait for, in microseconds.
    package var waitingWork: Int { work.load(ordering: .relaxed) }

    /// Adds to the bytes that wait; negative when they are done.
    package func wait(_ bytes: Int) { waiting.add(bytes, ordering: .relaxed) }

    /// Adds to the writer's time that is waited for; negative when a write is done.
    package func wait(microseconds: Int) { work.add(microseconds, ordering: .relaxed) }

    /// Takes the weight of a command.
    ///
    /// - Parameter now: monotonic milliseconds.
    /// - Returns: nil when the command may come now; otherwise the milliseconds after which it may.
    package func take(_ weight: Int, at now: Int64) -> Int64? {
        self.weight.take(weight, of: .weight, at: now)
    }

    /// Takes the bytes by which messages grew when they were inflated, beyond the normal growth.
    ///
    /// - Returns: false when they are too many.
    package func takeInflated(_ bytes: Int, at now: Int64) -> Bool {
        inflated.take(bytes, of: .inflation, at: now) == nil
    }

    /// Charges a command that cost more than its weight, as its answer shows; the user's later commands wait for it.
    package func charge(_ weight: Int, at now: Int64) {
        if weight > 0 { self.weight.add(weight, of: .weight, at: now) }
    }

    /// Charges the user for work that took long: the weight of a command cannot predict the amount of data that it
    /// finds.
    ///
    /// - Parameters:
    ///   - microseconds: The duration of the work.
    ///   - now: The loop's clock when the work was asked for.
    package func charge(microseconds: Int64, at now: Int64) {
        guard microseconds >= Limits.longWorkMilliseconds * 1000 else { return }
        charge(Int(microseconds) * Limits.weightPerMillisecond / 1000, at: now)
    }

    /// Whether the user has written so much that the next write must wait.
    ///
    /// - Parameter allowed: Bytes in an hour.
    /// - Returns: nil when it may write now; otherwise the milliseconds to wait.
    package func writeWait(anHour allowed: Int, at now: Int64) -> Int64? {
        written.wait(of: .writing(anHour: allowed), at: now)
    }

    /// Counts written bytes.
    package func wrote(_ bytes: Int, anHour allowed: Int, at now: Int64) {
        written.add(bytes, of: .writing(anHour: allowed), at: now)
    }

    /// Whether the account is in the state of a new one.
    fileprivate func isIdle(at now: Int64) -> Bool {
        sessions.load(ordering: .relaxed) == 0 && waitingBytes == 0
            && weight.isForgotten(at: now) && written.isForgotten(at: now) && inflated.isForgotten(at: now)
    }
}

extension Rate {
    /// The bound on the weight of one user's commands.
    fileprivate static let weight = Rate(
        perSecond: Double(Limits.userWeightPerSecond), burst: Double(Limits.userWeightBurst))
    /// The bound on the bytes that one user's messages inflate to, beyond the normal growth.
    fileprivate static let inflation = Rate(
        perSecond: Double(CompressionLimits.inflatedBytesPerSecond), burst: Double(CompressionLimits.inflatedBytesFree))

    /// The bound on the bytes that one user writes. Half of an hour's bytes may come at once, and the other half evenly
    /// over the hour; so no period of an hour has more.
    fileprivate static func writing(anHour allowed: Int) -> Rate {
        Rate(perSecond: Double(allowed) / 7200, burst: Double(allowed) / 2)
    }
}

/// The accounts of all users, or networks of clients without a known user, that are connected or were so a moment ago.
///
/// A session or a request looks its account up once. Each second a part of the table is searched for accounts in the
/// state of a new one, which are removed. So the table holds only users that are connected or have written much.
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

    /// Sessions that one owner may have.
    package let sessionsMax: Int
    private let shards: [Shard]
    private let nextShard = Atomic<Int>(0)

    package init(sessionsMax: Int) {
        self.sessionsMax = sessionsMax
        shards = (0..<16).map { _ in Shard() }
    }

    /// The number of accounts.
    package var count: Int { shards.reduce(0) { count, shard in count + shard.accounts.withLock { $0.count } } }

    /// The account of a user or network.
    package func find(_ user: Owner) -> UserAccount {
        shard(of: user).accounts.withLock { Self.find(user, in: &$0) }
    }

    /// Takes a place for one more session.
    ///
    /// - Parameter others: places that the owner has on other nodes.
    /// - Returns: The user's account; nil when all places are taken.
    package func takeSession(_ user: Owner, besides others: Int = 0) -> UserAccount? {
        shard(of: user).accounts.withLock { accounts in
            let account = Self.find(user, in: &accounts)
            guard account.sessions.load(ordering: .relaxed) + others < sessionsMax else { return nil }
            account.sessions.add(1, ordering: .relaxed)
            return account
        }
    }

    /// Gives the place of a session back. Another session may take it at the same moment without harm.
    package func giveSession(_ account: UserAccount) { account.sessions.subtract(1, ordering: .relaxed) }

    /// Forgets the idle accounts in the next part of the table.
    package func forgetIdle(at now: Int64) {
        let number = nextShard.add(1, ordering: .relaxed).oldValue % shards.count
        shards[number].accounts.withLock { accounts in
            let idle = accounts.filter { $0.value.isIdle(at: now) }
            // A table never shrinks by itself: one that is nearly empty is replaced.
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
