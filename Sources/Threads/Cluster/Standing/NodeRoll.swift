import Journal
import Model

/// The nodes that were heard within the last seconds, this one among them, for the status.
///
/// - Confinement: any
package struct NodeRoll: Sendable {
    /// - Confinement: any
    package struct Heard: Sendable, Hashable {
        package let message: HeartbeatMessage
        /// When it was heard, in milliseconds of the loop's clock.
        package let at: Int64
        /// By how many milliseconds its clock is ahead of this node's, less the time on the way.
        package let ahead: Int64
    }

    /// A node that is silent for longer is gone: its heartbeats come every 250 ms.
    package static let silenceMax: Int64 = 15_000

    private var heard: [String: Heard] = [:]

    package init() {}

    /// In the order of their names.
    package var nodes: [Heard] { heard.values.sorted { $0.message.heartbeat.node < $1.message.heartbeat.node } }

    /// The newest heartbeat of a node; nil while the node is not heard.
    subscript(node: String) -> HeartbeatMessage? { heard[node]?.message }

    /// By how many milliseconds the clock of a node is ahead of this node's, as its newest heartbeat showed; nil while the
    /// node is not heard.
    func ahead(of node: String) -> Int64? { heard[node]?.ahead }

    mutating func note(_ message: HeartbeatMessage, own time: Timestamp, at now: Int64) {
        let ahead = message.time.milliseconds - time.milliseconds
        heard[message.heartbeat.node] = Heard(message: message, at: now, ahead: ahead)
    }

    /// Forgets nodes that are silent.
    mutating func clean(at now: Int64) {
        guard heard.values.contains(where: { now - $0.at > Self.silenceMax }) else { return }
        heard = heard.filter { now - $0.value.at <= Self.silenceMax }
    }
}
