/// Results of other servers on another machine with two processors, from one neutral client. Only their ratio to the
/// bare loop can be carried over to this machine.
enum Anchors {
    private struct Anchor {
        let scenario: String
        let detail: String
        let text: String
        /// The results of uWebSockets in C++ and of the bare loop measured with it, per second of server CPU.
        let uWebSockets: ClosedRange<Double>
        let bare: Double
    }

    private static let all = [
        Anchor(
            scenario: "echo", detail: "64 connections",
            text: "uWebSockets 183,000 · NATS 105,000 · centrifuge 89,000 · bare loop 178,000",
            uWebSockets: 183_000...183_000, bare: 178_000),
        Anchor(
            scenario: "fanout", detail: "1 → 1,000, 1 under way",
            text: "uWebSockets 175,000 to 215,000 · NATS 112,000 · centrifuge 96,000 · bare loop 206,000",
            uWebSockets: 175_000...215_000, bare: 206_000),
        Anchor(
            scenario: "fanout", detail: "1 → 10,000, 1 under way",
            text: "uWebSockets 130,000 to 148,000 · NATS 64,000 · centrifuge 60,000 · bare loop 162,000",
            uWebSockets: 130_000...148_000, bare: 162_000),
        Anchor(
            scenario: "fanout", detail: "64 under way",
            text: "uWebSockets 6.3 million · NATS 3.7 million · centrifuge 1.3 million · bare loop 0.21 million",
            uWebSockets: 6_300_000...6_300_000, bare: 210_000),
    ]

    static let durable = "raw C loop 3,000/s one by one, 53,000/s in batches of 64, 91,000/s of 512"
    static let chats = "in memory: uWebSockets 91,000 to 106,000 · NATS 87,000 · centrifuge 40,000"
    static let paced = "in memory: p50 0.14 to 0.18 ms, p99 0.5 to 1.1 ms"
    static let idle = "uWebSockets 430 B (no session state) · NATS 23 to 26 KB · centrifuge 28 KB"

    /// - Parameter bare: The result of the bare loop in this run, per second of its CPU.
    static func text(_ own: Outcome, bare: Double?) -> String {
        guard let anchor = all.first(where: { $0.scenario == own.scenario && own.detail.hasSuffix($0.detail) }) else {
            return ""
        }
        guard let bare, let seen = own.perCPUSecond, bare > 0 else { return anchor.text }
        let (low, high) = (anchor.uWebSockets.lowerBound / anchor.bare, anchor.uWebSockets.upperBound / anchor.bare)
        let (worst, best) = (seen / (bare * high), seen / (bare * low))
        let range = Figures.fixed(worst, digits: 2) + (low < high ? " to \(Figures.fixed(best, digits: 2))" : "")
        return anchor.text + ". By the bare loop's measure uWebSockets in C++ would do "
            + Figures.whole(bare * low) + (low < high ? " to \(Figures.whole(bare * high))" : "")
            + " here, of which this is \(range)"
    }
}
