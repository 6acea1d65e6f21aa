package import ClientProtocol
import Configuration
import Model
package import Telemetry

/// How much a node of several lags the others, as its sessions and requests meet it.
///
/// - Confinement: any
package struct NodeDistance {
    /// Why no session may begin here; nil when they may.
    package let refusal: Refusal?
    /// Why the sessions that are here are to go to another node; nil when they may stay.
    package let farewell: String?

    /// Whether the node has everything that the others are known to have. Then a position beyond its head is of another
    /// history.
    package let knowsAllEntries: Bool

    /// - Parameters:
    ///   - facts: how the node stands.
    ///   - readyMilliseconds: the lag above which no sessions begin.
    ///   - closeMilliseconds: the lag above which sessions end.
    package init(_ facts: NodeStanding.Facts, readyMilliseconds: Int64, closeMilliseconds: Int64) {
        let cutOff = facts.cutOffMilliseconds
        if facts.role == .stopped {
            farewell = "the node takes no part any more"
        } else if facts.lagMilliseconds > closeMilliseconds {
            farewell = "the node lags the others by \(facts.lagMilliseconds / 1000) s"
        } else if cutOff >= MemberLimits.cutOffClosingMilliseconds {
            farewell = facts.cutOffSentence
        } else {
            farewell = nil
        }
        let isProved = facts.unprovedMilliseconds < MemberLimits.cutOffMilliseconds
        let isNear =
            !facts.isCatchingUp && facts.lagMilliseconds <= readyMilliseconds
            && cutOff < MemberLimits.cutOffMilliseconds
        knowsAllEntries = farewell == nil && isProved && facts.lagMilliseconds == 0 && !facts.isCatchingUp
        refusal = farewell == nil && isNear ? nil : Refusal.lagsOthers
    }
}

extension NodeDistance {
    /// The present distance.
    package init(_ settings: some RequestSettings) {
        let bounds = settings.configuration.cluster
        self.init(
            settings.standing.now, readyMilliseconds: bounds.lagReadyMilliseconds,
            closeMilliseconds: bounds.lagCloseMilliseconds)
    }
}

extension Refusal {
    /// A session would see old news here.
    package static let lagsOthers = Refusal(
        .unavailable, "this node lags the others; connect again, so that another one answers",
        retryAfterMilliseconds: Limits.reconnectMilliseconds)
}
