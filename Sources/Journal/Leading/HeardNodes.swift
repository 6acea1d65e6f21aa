/// The other nodes, as their heartbeats describe them.
///
/// - Confinement: any
struct HeardNodes: Sendable {
    private struct Heard: Sendable {
        let heartbeat: NodeHeartbeat
        let at: Int64
    }

    private var nodes: [String: Heard] = [:]
    /// The newest entry that any node has applied, ever. It was acknowledged, so it must be in the journal, also when
    /// that node is gone.
    private(set) var newestApplied: UInt64 = 0

    mutating func note(_ heartbeat: NodeHeartbeat, at now: Int64) {
        newestApplied = max(newestApplied, heartbeat.applied)
        nodes[heartbeat.node] = Heard(heartbeat: heartbeat, at: now)
        let isOld = nodes.values.contains { !isFresh($0, at: now) }
        if isOld { nodes = nodes.filter { isFresh($0.value, at: now) } }
    }

    private func isFresh(_ heard: Heard, at now: Int64) -> Bool { now - heard.at <= LeadingLimits.heard }

    private func fresh(at now: Int64) -> [Heard] { nodes.values.filter { isFresh($0, at: now) } }

    /// The node that says that it leads, of the newest term; nil when none said so for ``LeadingLimits/silence``.
    func leader(from term: UInt64, at now: Int64) -> String? {
        fresh(at: now)
            .filter { $0.heartbeat.leads && $0.heartbeat.term >= term && now - $0.at <= LeadingLimits.silence }
            .max { $0.heartbeat.term < $1.heartbeat.term }?.heartbeat.node
    }

    func hasOlderSchema(than schema: Int, at now: Int64) -> Bool {
        fresh(at: now).contains { $0.heartbeat.schema < schema }
    }

    /// Whether more nodes have another secret than have this one, the node itself counted.
    func hasOtherSecret(than fingerprint: String, at now: Int64) -> Bool {
        let heard = fresh(at: now)
        let others = heard.count { $0.heartbeat.fingerprint != fingerprint }
        return others > heard.count - others + 1
    }
}
