import Cluster
import Journal
import ThreadMessages

/// The facts that the nodes of a cluster say about themselves, as an upgrade hears them.
///
/// - Confinement: any
struct UpgradeEars: Sendable {
    /// A node is gone when it is silent for longer: its heartbeats come every 250 ms.
    static let silenceMilliseconds: Int64 = 1200

    struct Heard: Sendable {
        let message: HeartbeatMessage
        let at: Int64
        var beat: NodeHeartbeat { message.heartbeat }
    }

    private(set) var heard: [String: Heard] = [:]
    private var programs: [String: ProgramMessage] = [:]

    mutating func note(_ message: HeartbeatMessage, at now: Int64) {
        heard[message.heartbeat.node] = Heard(message: message, at: now)
    }

    mutating func note(_ message: ProgramMessage) { programs[message.node] = message }

    /// A node that was heard a short time ago.
    func present(_ node: String, at now: Int64) -> Heard? {
        heard[node].flatMap { now - $0.at <= Self.silenceMilliseconds ? $0 : nil }
    }

    /// The newest message of the present run of a node about its programs.
    func program(of node: String) -> ProgramMessage? {
        guard let heard = heard[node], let program = programs[node], program.run == heard.message.run else {
            return nil
        }
        return program
    }

    /// Looks whether all nodes that are heard can be upgraded.
    ///
    /// - Parameter nodes: how many there must be.
    func plan(nodes wanted: Int?, at now: Int64) -> UpgradePlan {
        let present = heard.keys.sorted().compactMap { self.present($0, at: now) }
        var plan = UpgradePlan()
        plan.nodes = present.map { one in
            let program = program(of: one.beat.node)
            return UpgradePlan.Node(
                name: one.beat.node, address: one.beat.address, program: one.beat.program, schema: one.beat.schema,
                newest: program?.newestSchema, installed: program?.installed?.schema,
                installedProgram: program?.installed?.program, path: program?.installed?.path, run: one.message.run)
        }
        plan.from = present.map(\.beat.schema).min() ?? 0
        plan.to = plan.nodes.map { max($0.schema, $0.newest ?? 0, $0.installed ?? 0) }.max() ?? 0
        plan.leader = present.first { $0.beat.leads }?.beat.node
        plan.problems = problems(plan, present, wanted)
        return plan
    }

    private func problems(_ plan: UpgradePlan, _ present: [Heard], _ wanted: Int?) -> [String] {
        guard !present.isEmpty else { return ["no node is heard over the journal: is --journal-app right?"] }
        var problems: [String] = []
        if let wanted, wanted != present.count {
            let names = present.map(\.beat.node).joined(separator: ", ")
            problems.append("\(present.count) of \(wanted) nodes are heard: \(names). Start the others first")
        }
        if plan.leader == nil, !plan.isWaiting {
            problems.append("no node leads: see 'watchwise cluster status' for why")
        }
        guard plan.to > plan.from else {
            return problems + [
                "no node has a program with newer tables than schema \(plan.from): nothing is to be upgraded. A program with "
                    + "the same tables is exchanged on one node after the other, on the node that leads last"
            ]
        }
        for node in plan.nodes where max(node.schema, node.newest ?? 0) < plan.to {
            if node.newest == nil {
                problems.append(
                    "\(node.name) runs \(node.program), which does not say what is installed there: install the new program "
                        + "and restart this node first, by hand")
            } else if node.installed ?? 0 < plan.to {
                let found = node.installedProgram.map { "\($0), schema \(node.installed ?? 0)" } ?? "nothing known"
                problems.append(
                    "\(node.name) has not the new program (schema \(plan.to)): at \(node.path ?? "its place") is \(found). "
                        + "Install it there")
            }
        }
        return problems
    }
}

/// The nodes of an upgrade, and what stands against it.
///
/// - Confinement: any
package struct UpgradePlan: Sendable, Hashable {
    /// - Confinement: any
    package struct Node: Sendable, Hashable {
        package let name: String
        package let address: String
        /// The version of the program that runs.
        package let program: String
        /// The number of its tables' newest migration.
        package let schema: Int
        /// The number of the newest migration of the program that runs; nil when it does not say it.
        package let newest: Int?
        /// The same of the program that is installed.
        package let installed: Int?
        package let installedProgram: String?
        package let path: String?
        let run: UInt64
    }

    package var nodes: [Node] = []
    /// The number of the newest migration that all nodes have.
    package var from = 0
    /// The number of the newest migration of the new program.
    package var to = 0
    /// The node that leads; nil when none does.
    package var leader: String?
    /// Why the upgrade cannot be done, in sentences with what to do.
    package var problems: [String] = []

    /// Whether all nodes run the new program already, and wait for each other.
    var isWaiting: Bool { !nodes.isEmpty && nodes.allSatisfy { ($0.newest ?? 0) > $0.schema } }
}
