/// One step of the suite: what it is called, how long it takes at a guess, and how it is played.
struct SuitePart {
    /// What `--only` names it.
    let name: String
    let title: String
    /// A guess for a quiet machine of two processors.
    let seconds: Double
    let play: () throws -> Void

    /// Every name there is, in the order of the suite.
    static let names = [
        "idle", "echo", "fanout", "broadcast", "growth", "pairs", "writes", "triggers", "stored", "inbox", "release",
        "storm", "soak", "replay",
    ]

    /// `about 12 min`, `about 40 s`.
    static func duration(_ seconds: Double) -> String {
        seconds < 90 ? "about \(Int(seconds.rounded())) s" : "about \(Int((seconds / 60).rounded(.up))) min"
    }
}
