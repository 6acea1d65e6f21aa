import Journal

/// Whether this node reads the entries of a node that it does not hear: their servers of the journal share the stream with a third
/// one and do not reach each other, and a server passes signals on to its neighbours alone. Then another server must be tried:
/// idle nodes would depose each other without end, and handed writes would never arrive.
///
/// - Confinement: any
struct Deafness: Sendable {
    /// Heartbeats come every 250 ms.
    private static let heardMax = LeadingLimits.silence
    /// For how long the author of an entry may stay unheard.
    private static let lasting: Int64 = 3000
    /// Between two changes of the server: the next one may be deaf, too.
    private static let pause: Int64 = 10_000

    private var heardAt: [String: Int64] = [:]
    /// The author of an entry that was not heard when its entry came, and since when.
    private var unheard: (node: String, since: Int64)?
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
    /// - Parameter isReached: whether there is a connection to a server of the journal.
    /// - Returns: the author that is not heard, when another server is to be tried now.
    mutating func look(isReached: Bool, at now: Int64) -> String? {
        guard isReached else {
            // Nobody is heard without a connection, and for a moment after a new one.
            (unheard, changedAt) = (nil, max(changedAt, now - Self.pause + Self.lasting))
            return nil
        }
        guard let unheard, now - unheard.since >= Self.lasting, now - changedAt >= Self.pause else { return nil }
        (self.unheard, changedAt) = (nil, now)
        return unheard.node
    }
}
