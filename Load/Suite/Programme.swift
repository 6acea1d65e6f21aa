/// What the suite measures, and at which sizes.
struct Programme {
    let seconds: Double
    let warmup: Double
    /// Sizes of fan-outs that every system is measured at.
    let fanouts: [Int]
    /// Sizes at which the growth of the cost is looked at.
    let receivers: [Int]
    let echoes: [Int]
    let sessions: [Int]
    let batches: [Int]
    let triggers: [Int]
    let followers: [Int]
    let online: Int
    let lengths: [Int]
    let stormClients: Int
    let soakSeconds: Double
    /// Real conversations; nil for all there are.
    let dialogues: Int?

    /// What says something of hours: for a quiet machine.
    static let whole = Programme(
        seconds: 10, warmup: 2, fanouts: [1_000, 10_000], receivers: [10, 100, 1_000, 10_000],
        echoes: [1, 8, 64, 512, 4_096], sessions: [1_000, 10_000, 50_000], batches: [1, 8, 64, 500],
        triggers: [0, 10, 100, 1_000], followers: [10_000, 100_000, 1_000_000], online: 10_000,
        lengths: [10, 100, 1_000, 10_000, 100_000], stormClients: 10_000, soakSeconds: 120,
        dialogues: nil)

    /// The same in some minutes, at sizes that show the direction.
    static let quick = Programme(
        seconds: 2, warmup: 0.5, fanouts: [1_000], receivers: [10, 100, 1_000], echoes: [1, 8, 64, 512],
        sessions: [200, 1_000], batches: [1, 8, 64, 500], triggers: [0, 10, 100], followers: [1_000, 10_000, 50_000],
        online: 500, lengths: [10, 100, 1_000, 5_000], stormClients: 1_000,
        soakSeconds: 10, dialogues: 200)

    /// Seconds in all, for tests of the suite itself.
    static let tiny = Programme(
        seconds: 0.4, warmup: 0.1, fanouts: [20], receivers: [10, 20], echoes: [2, 4], sessions: [20, 40],
        batches: [1, 8, 64], triggers: [0, 5], followers: [100, 300], online: 20, lengths: [10, 50], stormClients: 32,
        soakSeconds: 0.4, dialogues: 5)
}
