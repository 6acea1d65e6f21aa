import ArgumentParser
import Console
import Foundation
import JSON
import Model

/// `watchwise cluster verify`
struct ClusterVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Find out whether all nodes have the same rows; ask the node that leads.",
        discussion: """
            Every node digests all its tables as they are after the same entry of the journal, while it works on. The exit \
            status is 1 when a node's tables differ from those of the node that leads, and 75 when a node has not answered \
            in time.

            EXAMPLES
              watchwise cluster verify
              watchwise cluster verify --timeout 10m      for a large database
              watchwise cluster verify --json
            """)

    @Option(help: .value("time", "How long to wait for the nodes, such as 60s or 10m."))
    var timeout = "60s"
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        guard let patience = TimeSpan(timeout) else {
            throw CommandFailure(.misused, "--timeout must be \(TimeSpan.form), not '\(timeout)'")
        }
        let client = try server.connect()
        let begun = try client.ask(client.request("POST", "cluster/verify"))
        let number = begun["number"]?.integerValue ?? 0
        let end = ContinuousClock.now + .milliseconds(patience.milliseconds)
        var findings: Findings
        repeat {
            Thread.sleep(forTimeInterval: 0.1)
            findings = Findings(try client.ask("GET", "cluster"), number)
        } while !findings.isComplete && ContinuousClock.now < end
        Terminal.line(server.json ? findings.json.text : findings.page)
        if let difference = findings.difference { throw CommandFailure(.failed, difference) }
        guard findings.isComplete else {
            throw CommandFailure(
                .incomplete,
                "no answer within \(timeout) from \(findings.silent.joined(separator: ", ")); see its log, or give more "
                    + "time with --timeout")
        }
    }

    /// The digests of one comparison, in the nodes' order.
    struct Findings {
        private let nodes: [JSONValue]
        private let number: Int64
        private let asked: String

        /// - Parameter answer: of `GET /v1/cluster`.
        init(_ answer: JSONValue, _ number: Int64) {
            nodes = answer["nodes"]?.arrayValue ?? []
            asked = answer["node"]?.stringValue ?? ""
            self.number = number
        }

        private func found(_ node: JSONValue) -> JSONValue? {
            guard let verified = node["verified"], verified["number"]?.integerValue == number else { return nil }
            return verified
        }

        /// The names of the nodes without an answer.
        var silent: [String] { nodes.filter { found($0) == nil }.map { $0.shown("node") } }

        var isComplete: Bool { !nodes.isEmpty && silent.isEmpty }

        private func differences(_ node: JSONValue) -> [String]? {
            found(node)?["differs"]?.arrayValue?.compactMap(\.stringValue)
        }

        /// A sentence about the tables that are not equal; nil when all that are known are.
        var difference: String? {
            let parts = nodes.compactMap { node -> String? in
                guard let names = differences(node), !names.isEmpty else { return nil }
                let more = names.count > 5 ? " and \(names.count - 5) more" : ""
                return "\(node.shown("node")) in \(names.prefix(5).joined(separator: ", "))\(more)"
            }
            return parts.isEmpty ? nil : "the tables differ from those of \(asked): \(parts.joined(separator: "; "))"
        }

        private func verdict(_ node: JSONValue) -> String {
            guard let names = differences(node) else { return "no answer" }
            return names.isEmpty ? "equal" : "differs"
        }

        var page: String {
            let number = { (name: String) in { (node: JSONValue) in found(node)?[name]?.integerValue?.grouped ?? "" } }
            return Table(
                of: nodes,
                [
                    .left("NODE"), .left("ROLE"), .right("ENTRY", number("entry")), .right("TABLES", number("tables")),
                    .right("ROWS", number("rows")), .left("DIGEST") { found($0)?["digest"]?.stringValue ?? "" },
                    .left("TABLES ARE") { verdict($0) },
                ]
            ).lines.joined(separator: "\n")
        }

        var json: JSONValue {
            [
                "number": .integer(number), "equal": .bool(isComplete && difference == nil),
                "nodes": .array(
                    nodes.map { ["node": .string($0.shown("node")), "verified": found($0) ?? .null] }),
            ]
        }
    }
}
