/// The heartbeat of one connection: when to ping, and when silence means that nobody is there.
///
/// - Confinement: any
struct Pulse {
    /// The action that is due.
    enum Action: Equatable {
        case nothing
        case ping
        /// The client is heard, but has not been sent for long where it stands.
        case beat
        /// Two pings were not answered.
        case giveUp
    }

    // The clock's lower half: it turns round in 49 days, and something is due long before.
    private var heardAt: UInt32
    private var pingedAt: UInt32
    private var unanswered: UInt8 = 0
    /// When the last beat was, in units of 256 ms.
    private var beatAt: UInt16

    /// - Parameter now: monotonic milliseconds.
    init(at now: Int64) {
        heardAt = UInt32(truncatingIfNeeded: now)
        pingedAt = heardAt
        beatAt = Self.beatTime(heardAt)
    }

    private static func beatTime(_ now: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: now >> 8) }

    /// Something arrived, whatever it was.
    mutating func heard(at now: Int64) {
        heardAt = UInt32(truncatingIfNeeded: now)
        unanswered = 0
    }

    /// Asked now and then, at least once a second.
    ///
    /// - Parameter everyMilliseconds: how long a silence there may be.
    mutating func due(at now: Int64, everyMilliseconds: Int64) -> Action {
        let now = UInt32(truncatingIfNeeded: now)
        guard min(now &- heardAt, now &- pingedAt) >= everyMilliseconds else {
            // A silent client gets a beat with each ping, which comes sooner.
            guard Self.beatTime(now) &- beatAt >= UInt16(clamping: everyMilliseconds >> 7) else { return .nothing }
            beatAt = Self.beatTime(now)
            return .beat
        }
        guard unanswered < 2 else { return .giveUp }
        unanswered += 1
        pingedAt = now
        beatAt = Self.beatTime(now)
        return .ping
    }
}

/// The end of a token's time on an open connection.
///
/// - Confinement: any
struct TokenExpiry {
    private var isAnnounced = false

    enum Action: Equatable { case nothing, announce, end }

    /// A fresh token was given.
    mutating func renewed() { isAnnounced = false }

    /// - Parameter remaining: milliseconds until the token expires.
    mutating func due(remaining: Int64, announceAt: Int64) -> Action {
        if remaining <= 0 { return .end }
        guard remaining <= announceAt, !isAnnounced else { return .nothing }
        isAnnounced = true
        return .announce
    }
}
