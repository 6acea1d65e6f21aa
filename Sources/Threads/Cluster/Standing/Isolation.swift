import Journal

/// Whether this node is cut off together with its own journal server, which greets it and has no majority: it hears no other
/// node, and nothing shows that most servers of the journal are there. One of the two is enough, so that neither a node
/// whose neighbours were stopped nor one whose journal waits for its servers counts as cut off.
///
/// - Confinement: any
struct Isolation: Sendable {
    /// A connection to the journal is replaced in less time, and the next answer of the journal comes sooner.
    static let lasting: Int64 = 2000
    /// Then it leads no more: most others have chosen another node by then.
    static let leadingMax: Int64 = 5000

    /// When another node was heard, or a majority was shown, or the node began to listen.
    private var shownAt: Int64
    private var lookedAt: Int64

    init(at now: Int64) { (shownAt, lookedAt) = (now, now) }

    /// Another node speaks, or the journal shows its majority.
    mutating func noteShown(at now: Int64) { shownAt = max(shownAt, now) }

    /// Time passes. A process that stood still has not listened, so the silence says nothing.
    mutating func look(at now: Int64) {
        if now - lookedAt > LeadingLimits.pause { noteShown(at: now) }
        lookedAt = now
    }

    /// For how many milliseconds it has lasted; nil while it is shorter than ``lasting``.
    func milliseconds(at now: Int64) -> Int64? { now - shownAt >= Self.lasting ? now - shownAt : nil }
}
