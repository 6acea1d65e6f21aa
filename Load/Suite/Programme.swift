/// The parts of the suite and their sizes.
struct Programme {
    /// How long each round is measured, and how long it runs before that.
    var seconds: Double
    let warmup: Double
    /// How many turns systems take that are compared with each other.
    let rounds: Int
    /// Sizes of fan-outs for all systems.
    let fanouts: [Int]
    /// Sizes at which the growth of the cost is measured.
    let receivers: [Int]
    let echoes: [Int]
    /// Numbers of idle sessions: memory is the slope between two of them, so that the memory at the start does not
    /// count.
    let sessions: [Int]
    let tlsSessions: [Int]
    let batches: [Int]
    let triggers: [Int]
    let followers: [Int]
    let online: Int
    /// Messages in one chat; the start of the server is timed at the last size.
    let lengths: [Int]
    /// Missed events of a returning client.
    let backlogs: [Int]
    /// Notifications in one inbox.
    let inboxes: [Int]
    /// How many starts are timed after an orderly end, and after a kill.
    let starts: Int
    let stormClients: Int
    let soakSeconds: Double
    /// Conversations of the file; nil for all.
    let dialogues: Int?

    /// Every goal at its own size, for a quiet machine.
    static let whole = Programme(
        seconds: 2, warmup: 0.5, rounds: 3, fanouts: [1_000, 10_000], receivers: [10, 100, 1_000, 10_000],
        echoes: [1, 8, 64, 512, 4_096, 16_384], sessions: [1_000, 5_000, 10_000, 50_000],
        tlsSessions: [1_000, 3_000, 10_000], batches: [1, 8, 64, 500], triggers: [10, 100, 1_000],
        followers: [10_000, 100_000, 1_000_000], online: 10_000, lengths: [10, 1_000, 10_000, 100_000, 1_000_000],
        backlogs: [10, 100, 500, 1_000, 2_000], inboxes: [10, 1_000, 10_000, 100_000], starts: 5,
        stormClients: 10_000, soakSeconds: 60, dialogues: nil)

    /// A few minutes, with sizes that show the direction.
    static let quick = Programme(
        seconds: 1, warmup: 0.3, rounds: 3, fanouts: [1_000], receivers: [10, 100, 1_000], echoes: [1, 8, 64, 512],
        sessions: [500, 1_000, 3_000], tlsSessions: [500, 1_500], batches: [1, 8, 64, 500], triggers: [10, 100],
        followers: [1_000, 10_000, 50_000], online: 500, lengths: [10, 100, 1_000, 10_000], backlogs: [10, 100, 1_000],
        inboxes: [10, 100, 1_000, 10_000], starts: 3, stormClients: 1_000, soakSeconds: 10, dialogues: 200)

    /// A few seconds, for tests of the suite itself.
    static let tiny = Programme(
        seconds: 0.3, warmup: 0.1, rounds: 2, fanouts: [20], receivers: [10, 20], echoes: [2, 4], sessions: [20, 40],
        tlsSessions: [10, 20], batches: [1, 64], triggers: [5], followers: [100, 300], online: 20, lengths: [10, 50],
        backlogs: [5, 10], inboxes: [10, 20], starts: 1, stormClients: 32, soakSeconds: 0.4, dialogues: 5)

    /// The estimated time of one round with its setup: starting, connecting, settling.
    func roundSeconds(connections: Int = 0) -> Double {
        seconds + warmup + 0.35 + Double(connections) / Self.connectedEachSecond
    }

    /// A cautious estimate of connections opened in a second.
    static let connectedEachSecond = 4_000.0

    /// A cautious estimate of deliveries in a second: those that are on their way at the end of a round must still
    /// arrive, and half of the systems write each one separately.
    static let settledEachSecond = 200_000.0
}
