import Journal

/// Whether this node is at a server of the journal that is of little use to it.
///
/// It may read the entries of a node that it does not hear: their servers share the stream with a third one and do not reach each
/// other, and a server passes signals on to its neighbours alone. Then idle nodes would depose each other without end, and handed
/// writes would never arrive. Or other nodes say that there are entries, and none comes: the server was cut off, and takes up to 20 s
/// to come back into the stream. In both cases another server must be tried.
///
/// - Confinement: any
struct Deafness: Sendable {
    /// Heartbeats come every 250 ms.
    private static let heardMax = LeadingLimits.silence
    /// For how long the author of an entry may stay unheard, or the next entry away.
    private static let lasting: Int64 = 3000
    /// Between two changes of the server: the next one may be deaf, too.
    private static let pause: Int64 = 10_000

    private var heardAt: [String: Int64] = [:]
    /// The author of an entry that was not heard when its entry came, and since when.
    private var unheard: (node: String, since: Int64)?
    /// The newest entry that was read, and since when another one should have come.
    private var read: UInt64 = 0
    private var missingSince: Int64?
    private var changedAt: Int64

    /// The node begins to listen.
    init(at now: Int64) { changedAt = now }

    /// A heartbeat of another node has come.
    mutating func noteHeartbeat(_ node: String, at now: Int64) {
        heardAt[node] = now
        if unheard?.node == node { unheard = nil }
    }

    /// An entry of another node has come, as it was written.
    mutating func noteEntry(_ node: String, at now: Int64) {
        let isHeard = heardAt[node].map { now - $0 <= Self.heardMax } ?? false
        if !isHeard, unheard?.node != node { unheard = (node, now) }
    }

    /// Time passes.
    ///
    /// - Parameters:
    ///   - isReached: whether there is a connection to a server of the journal.
    ///   - read: the newest entry that was read.
    ///   - last: the newest one that the journal is known to have.
    /// - Returns: why another server is to be tried now; nil when it is not.
    mutating func look(isReached: Bool, read: UInt64, last: UInt64, at now: Int64) -> String? {
        let isMissing = last > read && read == self.read
        missingSince = isMissing ? missingSince ?? now : nil
        self.read = read
        guard isReached else {
            // Nobody is heard without a connection, and for a moment after a new one.
            (unheard, missingSince, changedAt) = (nil, nil, max(changedAt, now - Self.pause + Self.lasting))
            return nil
        }
        guard now - changedAt >= Self.pause else { return nil }
        let reason: String
        if let unheard, now - unheard.since >= Self.lasting {
            reason = "the entries of node '\(unheard.node)' come, and it is not heard"
        } else if let missingSince, now - missingSince >= Self.lasting {
            reason = "the journal has entries up to \(last), and this server gives none after \(read)"
        } else {
            return nil
        }
        (unheard, missingSince, changedAt) = (nil, nil, now)
        return reason
    }
}
