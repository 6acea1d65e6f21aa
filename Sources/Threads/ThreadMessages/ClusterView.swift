package import JSON
package import Journal
import Synchronization

/// The nodes and their journal as one node sees them, for `GET /v1/cluster`.
///
/// - Confinement: any
package struct ClusterView: Sendable, Hashable {
    /// The facts that one node says of itself, and when it was last heard.
    ///
    /// - Confinement: any
    package struct Node: Sendable, Hashable {
        package let name: String
        package let leads: Bool
        package let term: UInt64
        /// The newest entry that its database has.
        package let applied: UInt64
        package let schema: Int
        package let program: String
        package let sessions: Int
        package let address: String
        /// Digests of what must be the same on all nodes, see ``NodeDigest``; nil where the node does not say them.
        package var digest: NodeDigest?
        /// Of its tables, when it was last asked; nil for a node that was not.
        package var verified: TableDigests?
        /// The program that is installed on the node's machine; nil where the node does not say it.
        package var installed: InstalledProgram.Facts?
        /// Milliseconds since it was heard; zero for the node itself.
        package let heardMilliseconds: Int64
        /// By how many milliseconds its clock is ahead of that of the node which answers.
        package let aheadMilliseconds: Int64

        package init(
            _ heartbeat: NodeHeartbeat, heardMilliseconds: Int64, aheadMilliseconds: Int64 = 0,
            digest: NodeDigest? = nil,
            verified: TableDigests? = nil, installed: InstalledProgram.Facts? = nil
        ) {
            self.installed = installed
            name = heartbeat.node
            leads = heartbeat.leads
            term = heartbeat.term
            applied = heartbeat.applied
            schema = heartbeat.schema
            program = heartbeat.program
            sessions = heartbeat.sessions
            address = heartbeat.address
            self.heardMilliseconds = heardMilliseconds
            self.aheadMilliseconds = aheadMilliseconds
            self.digest = digest
            self.verified = verified
        }
    }

    /// The journal, as the node's connection shows it.
    ///
    /// - Confinement: any
    package struct Stream: Sendable, Hashable {
        package var name = ""
        /// Why the journal cannot be used: there is no connection, or the stream has no leader; nil while it can.
        package var problem: String?
        /// The server of the node's connection; nil without one.
        package var server: String?
        /// The server that leads the stream.
        package var leader: String?
        /// The oldest entry, and the newest.
        package var first: UInt64 = 0
        package var last: UInt64 = 0
        package var bytes: Int64 = 0
        /// Seconds after which an entry goes; nil when only the stream's size lets it go, or it is not known.
        package var ageSecondsMax: Int64?

        package init() {}
    }

    /// The node that answers.
    package var node = ""
    /// How it stands: `following`, `leading` or `stopped`.
    package var role = ""
    /// The node that leads; nil when none is known.
    package var leader: String?
    package var term: UInt64 = 0
    /// For how many milliseconds the node has not had everything that the journal has.
    package var lagMilliseconds: Int64 = 0
    /// All nodes that are heard, the node itself among them.
    package var nodes: [Node] = []
    package var stream = Stream()
    /// Settings of the journal that are not as they must be, in sentences; nil where this node has not looked.
    package var problems: [String]?

    package init() {}

    /// The answer of `GET /v1/cluster`.
    package var json: JSONObject {
        [
            "node": .string(node), "role": .string(role), "leader": leader.map { .string($0) } ?? .null,
            "term": .integer(Int64(clamping: term)), "lagMilliseconds": .integer(lagMilliseconds),
            "nodes": .array(nodes.sorted { $0.name < $1.name }.map { .object(json(of: $0)) }),
            "journal": .object(journal),
        ]
    }

    private func json(of node: Node) -> JSONObject {
        let isSelf = node.name == self.node
        let own = nodes.first { $0.name == self.node }?.verified
        let role = isSelf ? self.role : node.leads ? "leading" : "following"
        let missing = stream.last > node.applied ? stream.last - node.applied : 0
        return [
            "node": .string(node.name), "role": .string(role), "term": .integer(Int64(clamping: node.term)),
            "applied": .integer(Int64(clamping: node.applied)), "missing": .integer(Int64(clamping: missing)),
            "schema": .integer(Int64(node.schema)), "program": .string(node.program),
            "installed": node.installed.map { .object($0.json) } ?? .null,
            "settings": node.digest.map { .string($0.settings) } ?? .null,
            "zones": node.digest.map { .string($0.zones) } ?? .null, "sessions": .integer(Int64(node.sessions)),
            "verified": node.verified.map { .object($0.json(comparedWith: own)) } ?? .null,
            "address": .string(node.address), "heardMilliseconds": .integer(node.heardMilliseconds),
            "aheadMilliseconds": .integer(node.aheadMilliseconds),
        ]
    }

    private var journal: JSONObject {
        [
            "stream": .string(stream.name), "problems": problems.map { .array($0.map { .string($0) }) } ?? .null,
            "problem": stream.problem.map { .string($0) } ?? .null,
            "server": stream.server.map { .string($0) } ?? .null,
            "leader": stream.leader.map { .string($0) } ?? .null, "first": .integer(Int64(clamping: stream.first)),
            "last": .integer(Int64(clamping: stream.last)), "bytes": .integer(stream.bytes),
        ]
    }
}

/// Short digests of what decides the content of writes besides the database: it matters on the node that leads, and each
/// may lead.
///
/// - Confinement: any
package struct NodeDigest: Sendable, Hashable {
    /// Of the settings that must be the same on all nodes.
    package let settings: String
    /// Of the rules of the time zones.
    package let zones: String

    package init(settings: String, zones: String) {
        self.settings = settings
        self.zones = zones
    }

    /// Reads the text of a heartbeat; nil for one that says nothing.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let settings = parts.first, let zones = parts.last else { return nil }
        self.init(settings: String(settings), zones: String(zones))
    }

    /// The form in a heartbeat.
    package var text: String { "\(settings)/\(zones)" }
}

/// The newest ``ClusterView``: the cluster's thread writes it, the loops read it.
///
/// - Confinement: any
package final class ClusterBoard: Sendable {
    /// Protected by its lock, taken a few times a second.
    private let view = Mutex<ClusterView?>(nil)
    private let problems = Mutex<[String]?>(nil)

    package init() {}

    /// Replaces the view.
    package func show(_ new: ClusterView) { view.withLock { $0 = new } }

    /// Replaces what was found of the journal's settings.
    package func note(problems found: [String]) { problems.withLock { $0 = found } }

    /// Nil until the thread has written one.
    package var now: ClusterView? {
        var view = view.withLock { $0 }
        view?.problems = problems.withLock { $0 }
        return view
    }
}
