import SimulatedKernel

/// The kind of a cluster's run, as the seed decides: its network, and the faults beyond the ordinary ones.
/// - Confinement: any
struct ClusterKind {
    /// Up to this many milliseconds for a message from or to a server of the journal.
    let delayMax = [2, 5, 30, 60, 150, 300][Dice.below(6)]
    /// Up to this many milliseconds more for a message of which nobody keeps the order.
    let lateMax = Dice.once(in: 3) ? 3000 : 400
    /// How often a message that is not kept is lost, doubled or late: once in this many.
    let lossOdds = [6, 30, 1 << 30][Dice.below(3)]
    /// Whether clocks of single nodes are set.
    let hasClockJumps = Dice.once(in: 4)
    /// Whether the journal forgets old entries.
    let forgetsEntries = Dice.once(in: 3)
    /// Whether nodes lose their folders, and join again as new ones.
    let losesFolders = Dice.once(in: 4)
    /// Whether a node leaves for good.
    let losesMember = Dice.once(in: 6)
    /// Whether the disk of a node is full for a while.
    let hasFullDisks = Dice.once(in: 4)
    /// Whether somebody without the secret of the cluster reaches the journal.
    let hasStranger = Dice.once(in: 3)
    /// Whether the journal's servers lose entries that were acknowledged; then the nodes must stop.
    let losesEntries = Dice.once(in: 8)
    /// How long the log is kept; nil is longer than a run takes.
    var retentionMilliseconds: Int64? = Dice.once(in: 10) ? 5000 + Int64(Dice.below(20_000)) : nil

    init() {
        // A log that is trimmed has not everything that the other audits compare.
        if losesEntries || hasClockJumps { retentionMilliseconds = nil }
    }
}
