package import ClientProtocol
package import Model
package import Store

/// Keeps people who are muted from writing to others, and counts what people do, where limits are set.
///
/// The counts stand in memory alone, on the node that writes: a restart, or another leader, begins with nothing
/// counted. A deed is counted with the write that it is, and no more when that is undone.
///
/// - Confinement: store (the writer's thread)
final class Restraint {
    private struct Place: Hashable {
        let user: StreamID
        let deed: Deed
    }

    /// The deeds that count.
    private struct Level {
        /// The time in microseconds at which all of them would have been within the limit, had they come evenly.
        let time: Int64
        /// Microseconds of one of them, by the limit of that time.
        let step: Int64
    }

    /// Places at which those are forgotten that count nothing any more.
    private static let placesMax = 100_000

    private let configured: PersonLimits
    private var levels: [Place: Level] = [:]
    private var pruneAt = Restraint.placesMax
    /// The levels before the changes that are not committed yet, in the order of the changes.
    private var before: [(place: Place, level: Level?)] = []
    /// How many of them are of earlier writes than the present one.
    private var earlierCount = 0

    init(_ configured: PersonLimits) { self.configured = configured }

    // MARK: Undoing

    func beginWrite() { earlierCount = before.count }
    func undoWrite() { undo(to: earlierCount) }
    func undoAll() { undo(to: 0) }
    func committed() { before.removeAll(keepingCapacity: true) }

    private func undo(to count: Int) {
        while before.count > count {
            let last = before.removeLast()
            levels[last.place] = last.level
        }
    }

    // MARK: Checking

    /// Whether anything may keep a user from writing, by what stands in memory. False is certain, and the case of nearly
    /// every write.
    func mayHold(_ user: StreamID, in transaction: Transaction) throws -> Bool {
        try !configured.isEmpty || transaction.restrictions.mayHold(user)
    }

    /// - Throws: `Refusal` (`forbidden`) when a user is muted.
    func checkMute(of user: StreamID, at now: Timestamp, in transaction: Transaction) throws {
        guard let mute = try transaction.restrictions.inForce(.mute, of: user, at: now) else { return }
        throw mute.refusal(at: now)
    }

    /// Counts a deed of a user.
    ///
    /// - Throws: `Refusal` (`rate-limited`) when the user has done it too often.
    func count(_ deed: Deed, by user: StreamID, at now: Timestamp, in transaction: Transaction) throws {
        guard let limit = try limit(of: deed, by: user, in: transaction) else { return }
        let place = Place(user: user, deed: deed)
        let micros = now.milliseconds * 1000
        let (window, step) = (limit.milliseconds * 1000, max(1, limit.milliseconds * 1000 / limit.count))
        let known = levels[place]
        var ahead = max(0, (known?.time ?? micros) - micros)
        // By another limit than before, the same number of deeds.
        if let known, known.step != step { ahead = (ahead + known.step - 1) / known.step * step }
        // No further ahead than a full count, also when the clock was set back.
        ahead = min(ahead, window)
        guard ahead <= window - step else {
            let wait = (ahead - window + step + 999) / 1000
            throw Refusal(
                .rateLimited, "at most \(limit.text) of \(deed.rawValue)", retryAfterMilliseconds: max(1, wait))
        }
        if levels.count >= pruneAt {
            levels = levels.filter { $0.value.time > micros }
            pruneAt = max(Self.placesMax, 2 * levels.count)
        }
        before.append((place, known))
        levels[place] = Level(time: micros + ahead + step, step: step)
    }

    /// How often a user may do something: the user's own limit, else the configured one, else that of the deed; nil for any
    /// number of times.
    func limit(of deed: Deed, by user: StreamID, in transaction: Transaction) throws -> RateLimit? {
        let limit = configured[deed] ?? deed.standing
        guard let stored = try transaction.personLimits.find(user) else { return limit }
        return try PersonLimits(StoredJSON.object(stored, place: "person_limits.limits"))[deed] ?? limit
    }
}

@available(*, unavailable)
extension Restraint: Sendable {}

extension RestrictionEntry {
    /// The refusal of what the user may not do.
    package func refusal(at now: Timestamp) -> Refusal {
        Restriction.refusal(kind, until: until, reason: reason, at: now)
    }
}
