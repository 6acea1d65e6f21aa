import Journal
import Model

/// For how long the journal has not proved to this node that most of its servers are there, and whether another node is heard.
///
/// A proof is an entry of this node that the journal has stored, or an answer about the stream from a leader that has most servers.
/// A node's own journal server may be cut off together with it, and greets it all the same. While the servers choose a leader
/// nobody has a proof, and the nodes hear each other. So a node without either is cut off.
///
/// - Confinement: any
struct JournalProof: Sendable {
    private var provedAt: Int64
    private var heardAt: Int64
    private var lookedAt: Int64

    /// The node begins to listen.
    init(at now: Int64) { (provedAt, heardAt, lookedAt) = (now, now, now) }

    /// The journal has proved its majority.
    mutating func noteProof(at now: Int64) { provedAt = max(provedAt, now) }

    /// Another node speaks.
    mutating func noteOther(at now: Int64) { heardAt = max(heardAt, now) }

    /// Time passes. A process that stood still has not listened: the silence is not that of the others, and yet much may have
    /// happened meanwhile. So it counts as cut off for a moment, and not for as long as it stood.
    mutating func look(at now: Int64) {
        if now - lookedAt > LeadingLimits.pause {
            let limit = now - MemberLimits.cutOffMilliseconds
            (provedAt, heardAt) = (max(provedAt, limit), max(heardAt, limit))
        }
        lookedAt = now
    }

    /// Milliseconds since the newest proof.
    func unproved(at now: Int64) -> Int64 { max(0, now - provedAt) }

    /// Whether another node has spoken within six heartbeats.
    func hearsOthers(at now: Int64) -> Bool { now - heardAt <= LeadingLimits.silence }
}
