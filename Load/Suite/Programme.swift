/// What the suite measures, and at which sizes.
struct Programme {
    /// How long each round is measured, and runs before that.
    var seconds: Double
    let warmup: Double
    /// How often systems that are held against one another take turns.
    let rounds: Int
    /// Sizes of fan-outs that every system is measured at.
    let fanouts: [Int]
    /// Sizes at which the growth of the cost is looked at.
    let receivers: [Int]
    let echoes: [Int]
    /// Idle sessions: memory is the slope between neighbours, so that what is there anyway does not count.
    let sessions: [Int]
    let tlsSessions: [Int]
    let batches: [Int]
    let triggers: [Int]
    let followers: [Int]
    let online: Int
    /// Messages in one chat; the server is started again on the last.
    let lengths: [Int]
    /// Events missed by who comes back.
    let backlogs: [Int]
    /// Notifications in one inbox.
    let inboxes: [Int]
    /// How often a start is timed after an orderly end, and after a kill.
    let starts: Int
    let stormClients: Int
    let soakSeconds: Double
    /// Real conversations; nil for all there are.
    let dialogues: Int?

    /// Every figure to reach at its own size, for a quiet machine.
    static let whole = Programme(
        seconds: 2, warmup: 0.5, rounds: 3, fanouts: [1_000, 10_000], receivers: [10, 100, 1_000, 10_000],
        echoes: [1, 8, 64, 512, 4_096, 16_384], sessions: [1_000, 5_000, 10_000, 50_000],
        tlsSessions: [1_000, 3_000, 10_000], batches: [1, 8, 64, 500], triggers: [10, 100, 1_000],
        followers: [10_000, 100_000, 1_000_000], online: 10_000, lengths: [10, 1_000, 10_000, 100_000, 1_000_000],
        backlogs: [10, 100, 500, 1_000, 2_000], inboxes: [10, 1_000, 10_000, 100_000], starts: 5,
        stormClients: 10_000, soakSeconds: 60, dialogues: nil)

    /// The same in some minutes, at sizes that show the direction.
    static let quick = Programme(
        seconds: 1, warmup: 0.3, rounds: 3, fanouts: [1_000], receivers: [10, 100, 1_000], echoes: [1, 8, 64, 512],
        sessions: [500, 1_000, 3_000], tlsSessions: [500, 1_500], batches: [1, 8, 64, 500], triggers: [10, 100],
        followers: [1_000, 10_000, 50_000], online: 500, lengths: [10, 100, 1_000, 10_000], backlogs: [10, 100, 1_000],
        inboxes: [10, 100, 1_000, 10_000], starts: 3, stormClients: 1_000, soakSeconds: 10, dialogues: 200)

    /// Seconds in all, for tests of the suite itself.
    static let tiny = Programme(
        seconds: 0.3, warmup: 0.1, rounds: 2, fanouts: [20], receivers: [10, 20], echoes: [2, 4], sessions: [20, 40],
        tlsSessions: [10, 20], batches: [1, 64], triggers: [5], followers: [100, 300], online: 20, lengths: [10, 50],
        backlogs: [5, 10], inboxes: [10, 20], starts: 1, stormClients: 32, soakSeconds: 0.4, dialogues: 5)

    /// How long one round takes with what is around it: starting, connecting, settling.
    func roundSeconds(connections: Int = 0) -> Double {
        seconds + warmup + 0.35 + Double(connections) / Self.connectedEachSecond
    }

    /// What to reckon with, which is on the slow side.
    static let connectedEachSecond = 4_000.0

    /// Deliveries that are under way when a round ends must arrive, and half of the systems write each by itself.
    static let settledEachSecond = 200_000.0
}
