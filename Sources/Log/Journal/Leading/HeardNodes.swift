/// The other nodes, as their heartbeats describe them. A node with another secret is not of this cluster: it counts only
/// as a sign that its secret or this node's is wrong.
///
/// - Confinement: any
struct HeardNodes: Sendable {
    private struct Heard: Sendable {
        let heartbeat: NodeHeartbeat
        let at: Int64
    }

    /// Anybody who reaches the journal may invent more.
    private static let strangersMax = 64

    private var nodes: [String: Heard] = [:]
    private var strangers: [String: Heard] = [:]
    /// The newest entry that any node has applied, ever, and that node. The entry was acknowledged, so it must be in the
    /// journal, also when the node is gone.
    private(set) var newestApplied: (sequence: UInt64, node: String) = (0, "")

    /// - Parameter isOfJournal: whether the journal may have what the node has applied; else it will not take part.
    mutating func note(_ heartbeat: NodeHeartbeat, isOfJournal: Bool, at now: Int64) {
        if isOfJournal, heartbeat.applied > newestApplied.sequence {
            newestApplied = (heartbeat.applied, heartbeat.node)
        }
        Self.add(heartbeat, to: &nodes, at: now)
    }

    /// Somebody with another secret speaks.
    mutating func noteStranger(_ heartbeat: NodeHeartbeat, at now: Int64) {
        guard strangers.count < Self.strangersMax || strangers[heartbeat.node] != nil else { return }
        Self.add(heartbeat, to: &strangers, at: now)
    }

    private static func add(_ heartbeat: NodeHeartbeat, to nodes: inout [String: Heard], at now: Int64) {
        nodes[heartbeat.node] = Heard(heartbeat: heartbeat, at: now)
        let isOld = nodes.values.contains { !isFresh($0, at: now) }
        if isOld { nodes = nodes.filter { isFresh($0.value, at: now) } }
    }

    private static func isFresh(_ heard: Heard, at now: Int64) -> Bool { now - heard.at <= LeadingLimits.heard }

    /// The nodes of this cluster that were heard a short time ago.
    private func members(at now: Int64) -> [Heard] { nodes.values.filter { Self.isFresh($0, at: now) } }

    /// The node that says that it leads, of the newest term; nil when none said so for ``LeadingLimits/silence``.
    func leader(from term: UInt64, at now: Int64) -> String? {
        members(at: now)
            .filter { $0.heartbeat.leads && $0.heartbeat.term >= term && now - $0.at <= LeadingLimits.silence }
            .max { $0.heartbeat.term < $1.heartbeat.term }?.heartbeat.node
    }

    /// The node that said that it leads a term, as long as its heartbeat counts.
    func author(of term: UInt64) -> String? {
        nodes.values.first { $0.heartbeat.leads && $0.heartbeat.term == term }?.heartbeat.node
    }

    /// The objections of the other nodes to this one's standing for election: an entry that the journal lacks, an older schema,
    /// another secret.
    ///
    /// - Parameters:
    ///   - schema: of this node.
    ///   - term: the newest that it has read.
    ///   - last: the stream's last sequence.
    func objection(to schema: Int, inTerm term: UInt64, last: UInt64, at now: Int64) -> LeadershipWait? {
        let (applied, node) = newestApplied
        if applied > last { return .journalLacks(applied: applied, node: node, last: last) }
        if let older = older(than: schema, at: now) { return .olderSchema(node: older.node, schema: older.schema) }
        return stranger(inTerm: term, at: now).map { .otherSecret(node: $0) }
    }

    /// Why this node must stop when another one says that it leads: it leads a term of a third one.
    func contradiction(of leading: NodeHeartbeat, to place: ReadingPlace) -> LeadershipStop? {
        guard leading.term == place.term, let known = place.author, known != leading.node else { return nil }
        return .twoAuthors(term: place.term, known: known, other: leading.node)
    }

    /// A node whose schema is older.
    private func older(than schema: Int, at now: Int64) -> NodeHeartbeat? {
        members(at: now).map(\.heartbeat).filter { $0.schema < schema }.min { $0.node < $1.node }
    }

    /// A node with another secret by which this node must not lead: one that leads, or any of them when there are as many as have
    /// this secret, the node itself counted. Two leaders that pass over each other's entries would both acknowledge writes.
    private func stranger(inTerm term: UInt64, at now: Int64) -> String? {
        let heard = strangers.values.filter { Self.isFresh($0, at: now) }.map(\.heartbeat)
        if let leading = heard.first(where: { $0.leads && $0.term >= term }) { return leading.node }
        return heard.count > members(at: now).count ? heard.map(\.node).min() : nil
    }
}
