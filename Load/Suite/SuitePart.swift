/// One step of the suite: its name, its estimated time, and its action.
struct SuitePart {
    /// The name for `--only`.
    let name: String
    let title: String
    /// The estimate for a quiet machine with two processors.
    let seconds: Double
    let play: () throws -> Void

    /// All names, in the order of the suite.
    static let names = [
        "idle", "echo", "fanout", "broadcast", "growth", "pairs", "writes", "triggers", "stored", "inbox", "release",
        "storm", "soak", "replay",
    ]

    /// `about 12 min`, `about 40 s`.
    static func duration(_ seconds: Double) -> String {
        seconds < 90 ? "about \(Int(seconds.rounded())) s" : "about \(Int((seconds / 60).rounded(.up))) min"
    }
}
