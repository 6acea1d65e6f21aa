import Model

/// Whether this node's clock is the one that is wrong: it differs by more than 5 s from those of most others.
///
/// A heartbeat that was late shows less than the difference of the clocks, so the largest of the last ones counts, and a
/// difference must last for a while: after this process stood still, old heartbeats wait for it.
///
/// - Confinement: any
struct ClockComparison: Sendable {
    private struct Heard: Sendable {
        /// Milliseconds that the other clock is ahead, and when that was found.
        var differences: [(ahead: Int64, at: Int64)] = []
        var leads = false
    }

    static let differenceMax: Int64 = 5000
    /// For how long a difference must last.
    static let lasting: Int64 = 2000
    /// For how long a heartbeat counts.
    private static let window: Int64 = 3000

    private var nodes: [String: Heard] = [:]
    private var offSince: Int64?

    /// Whether this node should leave the lead to others.
    private(set) var isOff = false

    /// Takes a node's time.
    ///
    /// - Parameters:
    ///   - time: that the other node wrote into its heartbeat.
    ///   - own: this node's clock.
    ///   - now: monotonic milliseconds.
    mutating func note(_ node: String, leads: Bool, time: Timestamp, own: Timestamp, at now: Int64) {
        nodes[node, default: Heard()].leads = leads
        nodes[node]?.differences.append((time.milliseconds - own.milliseconds, now))
        compare(at: now)
    }

    /// Time passes.
    mutating func compare(at now: Int64) {
        for (name, heard) in nodes {
            let fresh = heard.differences.filter { now - $0.at <= Self.window }
            nodes[name] = fresh.isEmpty ? nil : Heard(differences: fresh, leads: heard.leads)
        }
        guard differsFromMost else {
            (offSince, isOff) = (nil, false)
            return
        }
        let since = offSince ?? now
        offSince = since
        isOff = now - since >= Self.lasting
    }

    /// Of two groups of the same size, the one with the leading node is right.
    private var differsFromMost: Bool {
        var alike = 1
        var others = 0
        var leaderDiffers = false
        for heard in nodes.values {
            let ahead = heard.differences.map(\.ahead).max() ?? 0
            if abs(ahead) > Self.differenceMax {
                others += 1
                leaderDiffers = leaderDiffers || heard.leads
            } else {
                alike += 1
            }
        }
        return others > alike || (others == alike && leaderDiffers)
    }
}
