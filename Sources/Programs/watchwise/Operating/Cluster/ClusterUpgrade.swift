import ArgumentParser
import Configuration
import Console
import JSON
import Model
import Server

/// `watchwise cluster upgrade`
struct ClusterUpgrade: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Exchange the program of all nodes for one with newer tables, after it was installed on all of them.",
        discussion: """
            It checks that all nodes are ready and have the new program, and lets them end. Their units start them again; \
            when all are back, one puts the migration into the journal, and every node makes the new tables at this place. \
            Writes wait meanwhile, about 10 s. A program with the same tables needs no command: restart one node after the \
            other, the one that leads last.

            Before the migration is in the journal, the old program on all nodes goes on as before. Afterwards only a backup \
            goes back: make one first.

            EXAMPLES
              watchwise cluster upgrade --dry-run --nodes 3 --data /var/lib/watchwise
              watchwise cluster upgrade --nodes 3 --data /var/lib/watchwise
              watchwise cluster upgrade --config /etc/watchwise.json --json
            """)

    @Option(help: .value("n", "How many nodes there must be. (default: those that are heard)"))
    var nodes: Int?
    @Option(
        help: .value(
            "dir", "The folder of a node on this machine, whose secret signs the order. (default: watchwise-data)"))
    var data: String?
    @Option(help: .value("time", "How long to wait for the nodes, such as 60s or 10m."))
    var timeout = "60s"
    @Flag(help: "Only check whether it can be done.")
    var dryRun = false
    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var sources: JournalSources

    func run() throws {
        guard let patience = TimeSpan(timeout) else {
            throw CommandFailure(.misused, "--timeout must be \(TimeSpan.form), not '\(timeout)'")
        }
        let configuration = try sources.nodeConfiguration(data: data)
        let upgrader: ClusterUpgrader
        do {
            upgrader = try ClusterUpgrader(configuration)
        } catch {
            throw CommandFailure(error.isConfiguration ? .misused : .failed, error.description)
        }
        defer { upgrader.close() }
        let plan = upgrader.plan(nodes: nodes)
        guard plan.problems.isEmpty else {
            throw CommandFailure(.failed, "nothing was done: " + plan.problems.joined(separator: "; "))
        }
        if !json { show(plan) }
        guard !dryRun else { return json ? Terminal.line(Self.json(plan, nil).text) : () }
        let report = upgrader.run(plan, milliseconds: patience.milliseconds) { step in
            if !json { Terminal.line("\(Self.seconds(step.milliseconds))  \(step.sentence)") }
        }
        if json { Terminal.line(Self.json(plan, report).text) }
        guard report.problems.isEmpty else {
            throw CommandFailure(.incomplete, report.problems.joined(separator: "; "))
        }
        if !json {
            Terminal.line(
                "all \(plan.nodes.count) nodes have the tables of schema \(plan.to); writes waited about "
                    + "\(Self.seconds(report.writesMilliseconds ?? 0).trimmingPrefix { $0 == " " })")
        }
    }

    private func show(_ plan: UpgradePlan) {
        let names = plan.nodes.map { $0.name + ($0.name == plan.leader ? " (leads)" : "") }.joined(separator: ", ")
        Terminal.line("from schema \(plan.from) to \(plan.to), on \(names)")
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        let tenths = "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
        return String(repeating: " ", count: max(0, 7 - tenths.count)) + tenths
    }

    private static func json(_ plan: UpgradePlan, _ report: UpgradeReport?) -> JSONValue {
        let number = { (value: Int64?) in value.map { JSONValue.integer($0) } ?? .null }
        let nodes = plan.nodes.map { node -> JSONValue in
            let course = report?.nodes.first { $0.name == node.name }
            return [
                "node": .string(node.name), "program": .string(node.program),
                "installed": node.installedProgram.map { .string($0) } ?? .null,
                "backMilliseconds": number(course?.backMilliseconds),
                "upgradedMilliseconds": number(course?.upgradedMilliseconds),
            ]
        }
        return [
            "from": .integer(Int64(plan.from)), "to": .integer(Int64(plan.to)), "nodes": .array(nodes),
            "milliseconds": number(report?.milliseconds), "writesMilliseconds": number(report?.writesMilliseconds),
            "leader": report?.leader.map { .string($0) } ?? .null,
            "problems": .array((report?.problems ?? []).map { .string($0) }),
        ]
    }
}
