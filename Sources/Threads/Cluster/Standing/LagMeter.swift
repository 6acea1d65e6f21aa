import DequeModule

/// For how long this node's database has lacked an entry that the journal is known to have.
///
/// Under load there is always a newer entry than the last applied one; so the oldest missing one counts, and not the time
/// since nothing was missing.
///
/// - Confinement: any
struct LagMeter: Sendable {
    /// The newest entry that the journal was known to have, and since when it may have had it: since somebody who knows last said
    /// where the journal ends. A node that hears nothing for a while lacks what has come meanwhile.
    private var known: Deque<(last: UInt64, at: Int64)> = []
    /// The newest entry that the journal is known to have.
    private(set) var last: UInt64 = 0
    /// An entry that a node has which does not lead, while nobody who knows says where the journal ends; since when the journal may
    /// have it, and when the node said so.
    private var claimed: (last: UInt64, at: Int64, saidAt: Int64)?
    private(set) var applied: UInt64 = 0
    /// Whether the node has not had everything yet since the process began.
    private(set) var isCatchingUp = true
    /// When somebody who knows last said where the journal ends; nil before the first time.
    private var heardAt: Int64?
    /// The end of the journal as it was found first.
    private var target: UInt64?
    /// A node that is later is still catching up.
    private static let lagMax: Int64 = 1000
    /// Above the lag with which a node is ready (`lag-ready`, 5 s), and below that with which its sessions end.
    private static let lossLag: Int64 = 6000

    /// The journal has entries up to this one.
    ///
    /// - Parameter milliseconds: how long ago it was said that this is the last one; nil where nothing is said of that, as by an
    ///   entry.
    mutating func note(last sequence: UInt64, saidAgo milliseconds: Int64?, at now: Int64) {
        if sequence > last {
            last = sequence
            if sequence > applied { known.append((sequence, heardAt ?? now)) }
        }
        guard let milliseconds else { return }
        heardAt = max(heardAt ?? now - milliseconds, now - milliseconds)
        if let claimed, now - milliseconds >= claimed.saidAt { self.claimed = nil }
    }

    /// A node that does not lead has entries up to this one. That counts until somebody who knows speaks: the node may lag itself,
    /// and one with a history that has ended has entries that the journal lacks.
    mutating func noteClaim(_ sequence: UInt64, at now: Int64) {
        guard sequence > last, now - (heardAt ?? .min / 2) > Self.lagMax else { return }
        claimed = (max(claimed?.last ?? 0, sequence), claimed?.at ?? heardAt ?? now, now)
    }

    /// The stream has said which entry is its last one.
    ///
    /// - Parameter milliseconds: how long ago most of its servers were there; nil when they were not.
    mutating func noteState(last sequence: UInt64, saidAgo milliseconds: Int64?, at now: Int64) {
        note(last: sequence, saidAgo: milliseconds, at: now)
        target = target ?? sequence
    }

    /// Time passes.
    mutating func look(at now: Int64) {
        guard let target, applied >= target, lag(at: now) < Self.lagMax else { return }
        isCatchingUp = false
    }

    /// The database has entries up to this one.
    mutating func note(applied sequence: UInt64) {
        applied = sequence
        last = max(last, sequence)
        if let claimed, claimed.last <= sequence { self.claimed = nil }
        while let first = known.first, first.last <= sequence { known.removeFirst() }
    }

    /// The database failed, and has only entries up to this one: the node lags too much to be ready until it has read on.
    mutating func noteLoss(after sequence: UInt64, at now: Int64) {
        applied = min(applied, sequence)
        guard last > applied else { return }
        known = [(last, min(known.first?.at ?? now, now - Self.lossLag))]
    }

    /// Milliseconds.
    func lag(at now: Int64) -> Int64 {
        [known.first?.at, claimed?.at].compactMap { $0 }.min().map { max(0, now - $0) } ?? 0
    }

    /// The newest entry that the journal is known or said to have.
    var expected: UInt64 { max(last, claimed?.last ?? 0) }
}
