import Synchronization

/// How many connections each user, or each address, has on all loops, up to a bound.
///
/// Taken and given back once for each connection, so a lock costs nothing that can be seen, and the bound is exact: loops
/// that told each other by mailbox would all let in whoever comes to all of them at once.
///
/// - Confinement: any
final class Tally<Key: Hashable & Sendable>: Sendable {
    let countMax: Int
    /// Only keys with a count above zero. Protected by its lock.
    private let counts = Mutex<[Key: Int32]>([:])

    init(countMax: Int) { self.countMax = countMax }

    /// Takes a place.
    ///
    /// - Returns: false when all places of this key are taken.
    func take(_ key: Key) -> Bool {
        counts.withLock { counts in
            let count = counts[key] ?? 0
            guard count < countMax, count < .max else { return false }
            counts[key] = count + 1
            return true
        }
    }

    /// Gives a place back.
    func give(_ key: Key) {
        counts.withLock { counts in
            guard let count = counts[key] else { return }
            counts[key] = count == 1 ? nil : count - 1
        }
    }
}
