import Journal
import Model

/// For how long the journal has not proved to this node that most of its servers are there, and whether another node is heard.
///
/// A proof is an entry of this node that the journal has stored, or an answer about the stream from a leader that has most servers.
/// A node's own journal server may be cut off together with it, and greets it all the same. While the servers choose a leader
/// nobody has a proof, and the nodes hear each other. So a node without either is cut off.
///
/// A node that was cut off may lack entries, and so may the first one that it hears again. It stays cut off until the journal proves
/// its majority, or the leader speaks: these say which entries there are.
///
/// - Confinement: any
struct JournalProof: Sendable {
    private var provedAt: Int64
    private var heardAt: Int64
    /// When the leader spoke last.
    private var ledAt: Int64
    private var lookedAt: Int64
    /// Whether the node was cut off, and nobody who knows has spoken since.
    private var mayLack = false

    /// The node begins to listen.
    init(at now: Int64) { (provedAt, heardAt, ledAt, lookedAt) = (now, now, now, now) }

    /// The journal has proved its majority.
    mutating func noteProof(at now: Int64) { provedAt = max(provedAt, now) }

    /// Another node speaks.
    mutating func noteOther(leads: Bool, at now: Int64) {
        heardAt = max(heardAt, now)
        if leads { ledAt = max(ledAt, now) }
    }

    /// Time passes. A process that stood still has not listened: the silence is not that of the others, and yet much may have
    /// happened meanwhile. So it counts as cut off for a moment, and not for as long as it stood.
    mutating func look(at now: Int64) {
        if now - lookedAt > LeadingLimits.pause {
            let limit = now - MemberLimits.cutOffMilliseconds
            (provedAt, heardAt) = (max(provedAt, limit), max(heardAt, limit))
        }
        lookedAt = now
        let isProved = unproved(at: now) < MemberLimits.cutOffMilliseconds
        if !isProved && !hearsOthers(at: now) {
            mayLack = true
        } else if isProved || now - ledAt <= LeadingLimits.silence {
            mayLack = false
        }
    }

    /// Whether another node is heard, and this one has not been cut off since somebody who knows has spoken.
    func isAmongOthers(at now: Int64) -> Bool { hearsOthers(at: now) && !mayLack }

    /// Milliseconds since the newest proof.
    func unproved(at now: Int64) -> Int64 { max(0, now - provedAt) }

    /// Whether another node has spoken within six heartbeats.
    func hearsOthers(at now: Int64) -> Bool { now - heardAt <= LeadingLimits.silence }
}
