package import Model
import Synchronization

/// How many sessions users have on other nodes: the thread that hears of them writes it, and the loops read it when a
/// session begins.
///
/// - Confinement: any
package final class SessionsElsewhere: Sendable {
    /// A part of the table under a lock of its own.
    ///
    /// - Confinement: any
    private final class Shard: Sendable {
        /// Only users with sessions. Protected by its lock.
        let counts = Mutex<[UserID: Int]>([:])
    }

    private let shards = (0..<16).map { _ in Shard() }

    package init() {}

    /// The sessions of a user on all other nodes.
    package func count(of user: UserID) -> Int { shard(of: user).counts.withLock { $0[user] ?? 0 } }

    /// Replaces the count of a user.
    package func set(_ count: Int, of user: UserID) {
        shard(of: user).counts.withLock { $0[user] = count > 0 ? count : nil }
    }

    private func shard(of user: UserID) -> Shard {
        shards[Int(UInt(bitPattern: user.hashValue) % UInt(shards.count))]
    }
}
