import ClientProtocol
import Configuration
import Model
import Telemetry

/// How far a node of several is behind the others, as its sessions meet it.
///
/// - Confinement: any
struct NodeDistance {
    /// Whether sessions may begin here.
    let takesSessions: Bool
    /// Why the sessions that are here are to go to another node; nil when they may stay.
    let farewell: String?

    /// - Parameters:
    ///   - facts: how the node stands.
    ///   - readyMilliseconds: the lag above which no sessions begin.
    ///   - closeMilliseconds: the lag above which sessions end.
    init(_ facts: NodeStanding.Facts, readyMilliseconds: Int64, closeMilliseconds: Int64) {
        let cutOff = facts.cutOffMilliseconds ?? 0
        if facts.role == .stopped {
            farewell = "the node takes no part any more"
        } else if facts.lagMilliseconds > closeMilliseconds {
            farewell = "the node is \(facts.lagMilliseconds / 1000) s behind the others"
        } else if cutOff >= Limits.cutOffMilliseconds {
            farewell = "the node has not reached the journal for \(cutOff / 1000) s"
        } else {
            farewell = nil
        }
        takesSessions = farewell == nil && !facts.isCatchingUp && facts.lagMilliseconds <= readyMilliseconds
    }
}

extension NodeDistance {
    /// The present distance.
    init(_ settings: LoopSettings) {
        let bounds = settings.configuration.cluster
        self.init(
            settings.standing.now, readyMilliseconds: bounds.lagReadyMilliseconds,
            closeMilliseconds: bounds.lagCloseMilliseconds)
    }
}

extension Refusal {
    /// A session would see old news here.
    static let behindOthers = Refusal(
        .unavailable, "this node is behind the others of its cluster; connect again, so that another one answers",
        retryAfterMilliseconds: Limits.reconnectMilliseconds)
}
