import ArgumentParser
import Configuration
import Console
import JSON
import Server

/// `watchwise cluster check`
struct ClusterCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find what differs between the nodes, and what the journal's servers and stream lack.",
        discussion: """
            It compares schema, program, settings, time zone rules and clocks of all nodes, and checks the stream and, where \
            --journal-monitor is given, each server of the journal. The exit status is 1 when something is wrong.

            EXAMPLES
              watchwise cluster check
              watchwise cluster check --config /etc/watchwise.json --json
            """)

    @OptionGroup var sources: JournalSources
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        let configuration = try sources.configuration()
        var findings = ClusterFindings(nodes: try client.ask("GET", "cluster"))
        if configuration.cluster.isMember {
            do {
                findings.add(try JournalSurvey(of: configuration, withStream: true))
            } catch {
                throw CommandFailure(.misused, error.description)
            }
        } else {
            findings.unchecked.append("the stream and its servers: give --journal and --journal-monitor")
        }
        server.json ? Terminal.line(findings.json.text) : show(findings)
        guard findings.problems.isEmpty else {
            let count = Int64(findings.problems.count).counted("problem", "problems")
            throw CommandFailure(.failed, "\(count) found")
        }
    }

    private func show(_ findings: ClusterFindings) {
        for line in findings.sound { Terminal.line("ok       " + line) }
        for line in findings.facts { Terminal.line("note     " + line) }
        for line in findings.unchecked { Terminal.line("skipped  " + line) }
        for line in findings.problems { Terminal.line("problem  " + line) }
    }
}

/// The result of a check, as sentences.
struct ClusterFindings {
    private(set) var sound: [String] = []
    /// Differences that may be.
    private(set) var facts: [String] = []
    var unchecked: [String] = []
    private(set) var problems: [String] = []

    /// Compares the nodes of an answer of `GET /v1/cluster`.
    init(nodes answer: JSONValue) {
        let nodes = answer["nodes"]?.arrayValue ?? []
        if let problem = ClusterStatus.problem(in: answer) {
            problems.append(problem)
        } else {
            sound.append("\(answer["leader"]?.stringValue ?? "") leads, in term \(answer["term"]?.text ?? "?")")
        }
        compare(nodes, "schema", "the schema", "start the same program on all nodes")
        compare(nodes, "program", "the program", nil)
        compare(nodes, "settings", "the settings that all nodes must share", "give them the same configuration file")
        compare(nodes, "zones", "the rules of time zones", "update the system's tzdata on all of them")
        compareClocks(nodes)
        let silent = nodes.filter { $0["address"]?.stringValue?.isEmpty ?? true }.map { $0.shown("node") }
        if !silent.isEmpty {
            problems.append("no node can join from \(silent.joined(separator: ", ")): start with --node-address")
        }
    }

    /// Between two nodes; heartbeats need a moment.
    private static let clockMilliseconds: Int64 = 1000

    private mutating func compareClocks(_ nodes: [JSONValue]) {
        let ahead = nodes.compactMap { node in
            node["aheadMilliseconds"]?.integerValue.map { (name: node.shown("node"), milliseconds: $0) }
        }
        guard let first = ahead.min(by: { $0.milliseconds < $1.milliseconds }),
            let last = ahead.max(by: { $0.milliseconds < $1.milliseconds })
        else { return unchecked.append("the clocks: the nodes do not say them") }
        let difference = last.milliseconds - first.milliseconds
        if difference <= Self.clockMilliseconds {
            sound.append("the clocks agree within \(max(100, (difference + 99) / 100 * 100)) ms")
        } else {
            let seconds = "\(difference / 1000).\(difference % 1000 / 100) s"
            problems.append(
                "the clock of \(last.name) is \(seconds) ahead of that of \(first.name): let chrony or systemd-timesyncd set them"
            )
        }
    }

    /// Adds what the journal says.
    mutating func add(_ survey: JournalSurvey) {
        problems += survey.problems.map { "\(survey.stream): \($0)" }
        if survey.problems.isEmpty {
            sound.append(
                "the stream \(survey.stream) has the settings of a journal, on \(Int64(survey.replicas).counted("server", "servers"))"
            )
        }
        if survey.replicas == 1 {
            problems.append("\(survey.stream) has one copy: the loss of one server loses it (num_replicas is 1)")
        }
        if survey.servers.isEmpty {
            unchecked.append("sync_interval and max_payload of the journal's servers: give --journal-monitor")
        }
        for server in survey.servers {
            let name = server.name ?? server.url
            problems += server.problems.map { "\(name): \($0)" }
            if server.problems.isEmpty {
                sound.append("\(name): version \(server.version), sync_interval \(server.sync)")
            }
        }
    }

    /// All nodes must say the same of a member, unless there is no advice.
    private mutating func compare(_ nodes: [JSONValue], _ member: String, _ what: String, _ advice: String?) {
        let known = nodes.filter { !($0[member]?.isNull ?? true) }
        guard !known.isEmpty else {
            unchecked.append("\(what): the nodes do not say it")
            return
        }
        let names = Dictionary(grouping: known) { $0[member]?.stringValue ?? $0[member]?.text ?? "" }
            .mapValues { $0.map { $0.shown("node") }.sorted().joined(separator: ", ") }
        if names.count == 1, let only = names.first {
            sound.append("\(what): \(only.key) on \(only.value)")
        } else {
            let parts = names.sorted { $0.key < $1.key }.map { "\($0.key) on \($0.value)" }
            let list = parts.joined(separator: "; ")
            if let advice {
                problems.append("\(what) must be the same: \(list). To mend it, \(advice)")
            } else {
                facts.append("\(what) differs, as in an upgrade node by node: \(list)")
            }
        }
    }

    /// For programs.
    var json: JSONValue {
        let texts = { (list: [String]) in JSONValue.array(list.map { .string($0) }) }
        return ["ok": texts(sound), "notes": texts(facts), "skipped": texts(unchecked), "problems": texts(problems)]
    }
}
