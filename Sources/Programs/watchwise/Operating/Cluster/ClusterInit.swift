import ArgumentParser
import Configuration
import Console
import JSON
import Model
import Server

/// `watchwise cluster init`
struct ClusterInit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make the journal, and a folder's database the first of the cluster; the server must be stopped.",
        discussion: """
            The database in the folder stays as it is and becomes that of all nodes; in an empty folder one is made. \
            Every server of the journal must be running. A run that was interrupted is begun again with the same command.

            EXAMPLES
              watchwise cluster init --data /var/lib/watchwise --journal nats://10.0.0.1,nats://10.0.0.2,nats://10.0.0.3 \
            --journal-monitor http://10.0.0.1:8222,http://10.0.0.2:8222,http://10.0.0.3:8222
              watchwise cluster init --data /tmp/a --journal nats://127.0.0.1 --replicas 1      to try it on one machine
            """
    )

    @Option(help: .value("dir", "The server's folder. (default: watchwise-data)"))
    var data: String?
    @OptionGroup var stream: StreamSizeOptions
    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var sources: JournalSources

    func run() throws {
        let configuration = try sources.nodeConfiguration(data: data)
        let size = try stream.size()
        do {
            let report = try ClusterFounder.found(configuration, size)
            json ? show(json: report) : show(report, configuration)
        } catch {
            throw CommandFailure(error.isConfiguration ? .misused : .failed, error.description)
        }
    }

    private func show(json report: ClusterFounder.Report) {
        let texts = { (list: [String]) in JSONValue.array(list.map { .string($0) }) }
        let answer: JSONValue = [
            "stream": .string(report.stream), "epoch": .string(report.epoch), "servers": texts(report.servers),
            "warnings": texts(report.warnings), "files": texts(report.files),
        ]
        Terminal.line(answer.text)
    }

    private func show(_ report: ClusterFounder.Report, _ configuration: ServerConfiguration) {
        for warning in report.warnings { Terminal.error("warning: " + warning) }
        let journal = configuration.cluster.journal.joined(separator: ",")
        let own = "watchwise serve --data \(configuration.data) --journal \(Self.shown(journal))"
        Terminal.line(
            """
            The journal \(report.stream) is made, on \(report.servers.joined(separator: ", ")).
            \(configuration.data) is the first node's folder; its epoch \(report.epoch) is the cluster's.

            1. Copy these files into the folder of every other node, with mode 600:
            \(report.files.map { "     " + $0 }.joined(separator: "\n"))
            2. Start this node, with a name and the URL at which the others reach it:
                 \(own) --node NAME --node-address http://THIS-HOST:8080
            3. Start each other node with the same --journal, its own --node and --node-address, and a folder that holds only
               these files: it fetches the database by itself.
            4. 'watchwise cluster status' shows all nodes, 'watchwise cluster check' what differs between them.
            """)
    }

    /// Addresses without their passwords.
    private static func shown(_ journal: String) -> String {
        journal.replacing(/\/\/[^@,\/]*@/, with: "//…@")
    }
}
