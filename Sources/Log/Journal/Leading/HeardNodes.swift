/// The other nodes, as their heartbeats describe them. A node with another secret is not of this cluster: it counts only
/// as one that is wrong, or that shows that this node is.
///
/// - Confinement: any
struct HeardNodes: Sendable {
    private struct Heard: Sendable {
        let heartbeat: NodeHeartbeat
        let at: Int64
    }

    /// Of this node's own secret.
    let fingerprint: String
    private var nodes: [String: Heard] = [:]
    /// The newest entry that any node has applied, ever, and that node. The entry was acknowledged, so it must be in the
    /// journal, also when the node is gone.
    private(set) var newestApplied: (sequence: UInt64, node: String) = (0, "")

    init(fingerprint: String) { self.fingerprint = fingerprint }

    mutating func note(_ heartbeat: NodeHeartbeat, at now: Int64) {
        if heartbeat.applied > newestApplied.sequence, heartbeat.fingerprint == fingerprint {
            newestApplied = (heartbeat.applied, heartbeat.node)
        }
        nodes[heartbeat.node] = Heard(heartbeat: heartbeat, at: now)
        let isOld = nodes.values.contains { !isFresh($0, at: now) }
        if isOld { nodes = nodes.filter { isFresh($0.value, at: now) } }
    }

    private func isFresh(_ heard: Heard, at now: Int64) -> Bool { now - heard.at <= LeadingLimits.heard }

    /// The nodes of this cluster that were heard a short time ago.
    private func members(at now: Int64) -> [Heard] {
        nodes.values.filter { isFresh($0, at: now) && $0.heartbeat.fingerprint == fingerprint }
    }

    /// The node that says that it leads, of the newest term; nil when none said so for ``LeadingLimits/silence``.
    func leader(from term: UInt64, at now: Int64) -> String? {
        members(at: now)
            .filter { $0.heartbeat.leads && $0.heartbeat.term >= term && now - $0.at <= LeadingLimits.silence }
            .max { $0.heartbeat.term < $1.heartbeat.term }?.heartbeat.node
    }

    /// The node that said that it leads a term, as long as its heartbeat counts.
    func author(of term: UInt64) -> String? {
        nodes.values.first {
            $0.heartbeat.leads && $0.heartbeat.term == term && $0.heartbeat.fingerprint == fingerprint
        }?
        .heartbeat.node
    }

    /// The objections of the other nodes to this one's standing for election: an entry that the journal lacks, an older schema,
    /// another secret.
    ///
    /// - Parameters:
    ///   - schema: of this node.
    ///   - last: the stream's last sequence.
    func objection(to schema: Int, last: UInt64, at now: Int64) -> LeadershipWait? {
        let (applied, node) = newestApplied
        if applied > last { return .journalLacks(applied: applied, node: node, last: last) }
        if let older = older(than: schema, at: now) { return .olderSchema(node: older.node, schema: older.schema) }
        return hasOtherSecret(at: now) ? .otherSecret : nil
    }

    /// Why this node must stop when another one says that it leads: it has another secret, or leads a term of a third one.
    func contradiction(of leading: NodeHeartbeat, to place: ReadingPlace) -> LeadershipStop? {
        if leading.fingerprint != fingerprint { return .otherSecret(node: leading.node) }
        guard leading.term == place.term, let known = place.author, known != leading.node else { return nil }
        return .twoAuthors(term: place.term, known: known, other: leading.node)
    }

    /// A node whose schema is older.
    private func older(than schema: Int, at now: Int64) -> NodeHeartbeat? {
        members(at: now).map(\.heartbeat).filter { $0.schema < schema }.min { $0.node < $1.node }
    }

    /// Whether more nodes have another secret than have this one, the node itself counted.
    private func hasOtherSecret(at now: Int64) -> Bool {
        let own = members(at: now).count + 1
        let others = nodes.values.count { isFresh($0, at: now) && $0.heartbeat.fingerprint != fingerprint }
        return others > own
    }
}
