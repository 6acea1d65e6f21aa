package import Model
import Synchronization

/// When the refusals of users were last noted in the audit. A user without a scope of operators gets one row in a minute:
/// otherwise anybody could fill the disk with rows that are kept for a year, and hide those of operators among them.
///
/// The table is bounded as well: when ``usersMax`` users are refused within a minute, the others get no row.
///
/// - Confinement: any
package final class NotedRefusals: Sendable {
    private struct Entry {
        var notedAt: Int64
        /// Refusals that got no row since the last one that did.
        var leftOut = 0
    }

    /// Users of whom it is known when they were last noted.
    package static let usersMax = 1000
    package static let milliseconds: Int64 = 60_000

    /// Protected by its lock.
    private let entries = Mutex<[UserID: Entry]>([:])

    package init() {}

    /// Takes the right to a row for a refusal of a user.
    ///
    /// - Parameters:
    ///   - leftOut: refusals of the user that another node has left out.
    ///   - now: monotonic milliseconds.
    /// - Returns: how many refusals got no row since the user's last row; nil when this one gets none either.
    package func take(_ user: UserID, besides leftOut: Int = 0, at now: Int64) -> Int? {
        entries.withLock { entries in
            if let known = entries[user] {
                guard now - known.notedAt >= Self.milliseconds else {
                    entries[user]?.leftOut += leftOut + 1
                    return nil
                }
                entries[user] = Entry(notedAt: now)
                return known.leftOut + leftOut
            }
            if entries.count >= Self.usersMax {
                entries = entries.filter { now - $0.value.notedAt < Self.milliseconds }
                guard entries.count < Self.usersMax else { return nil }
            }
            entries[user] = Entry(notedAt: now)
            return leftOut
        }
    }
}
