import ClientProtocol
import Configuration
import Model
import Telemetry

/// How much a node of several lags the others, as its sessions meet it.
///
/// - Confinement: any
struct NodeDistance {
    /// Whether sessions may begin here.
    let takesSessions: Bool
    /// Why the sessions that are here are to go to another node; nil when they may stay.
    let farewell: String?

    /// Whether the node has everything that the others are known to have. Then a position beyond its head is of another
    /// history.
    let knowsAllEntries: Bool

    /// - Parameters:
    ///   - facts: how the node stands.
    ///   - readyMilliseconds: the lag above which no sessions begin.
    ///   - closeMilliseconds: the lag above which sessions end.
    init(_ facts: NodeStanding.Facts, readyMilliseconds: Int64, closeMilliseconds: Int64) {
        let cutOff = facts.cutOffMilliseconds ?? 0
        if facts.role == .stopped {
            farewell = "the node takes no part any more"
        } else if facts.lagMilliseconds > closeMilliseconds {
            farewell = "the node lags the others by \(facts.lagMilliseconds / 1000) s"
        } else if cutOff >= Limits.cutOffMilliseconds {
            farewell = "the node has not reached the journal for \(cutOff / 1000) s"
        } else {
            farewell = nil
        }
        knowsAllEntries =
            farewell == nil && facts.hearsOthers && facts.cutOffMilliseconds == nil && facts.lagMilliseconds == 0
            && !facts.isCatchingUp
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
    static let lagsOthers = Refusal(
        .unavailable, "this node lags the others of its cluster; connect again, so that another one answers",
        retryAfterMilliseconds: Limits.reconnectMilliseconds)
}
