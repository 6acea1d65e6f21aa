import ArgumentParser
import Configuration
import Console
import JSON
import Model
import Server

/// `watchwise cluster reseed`
struct ClusterReseed: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reseed",
        abstract: "Make a lost journal again, after the furthest node's last entry; that node must be stopped.",
        discussion: """
            Every node has the whole database, so nothing written is lost with the journal. The new one begins after the \
            last entry of the folder; the epoch stays, unless a power cut may have taken commits from the folder. A node that is heard and has more is named, and nothing is made. A \
            journal that is there is never replaced.

            EXAMPLES
              watchwise cluster reseed --from /var/lib/watchwise --journal nats://10.0.0.1,nats://10.0.0.2,nats://10.0.0.3
              watchwise cluster reseed --from /var/lib/watchwise --config /etc/watchwise.json
            """
    )

    @Option(help: .value("dir", "The folder of the node that is furthest."))
    var from: String
    @OptionGroup var stream: StreamSizeOptions
    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var sources: JournalSources

    func run() throws {
        let configuration = try sources.nodeConfiguration(data: from)
        let size = try stream.size()
        do {
            show(try ClusterReseeder.reseed(configuration, size))
        } catch {
            throw CommandFailure(error.isConfiguration ? .misused : .failed, error.description)
        }
    }

    private func show(_ report: ClusterReseeder.Report) {
        guard !json else {
            let answer: JSONValue = [
                "stream": .string(report.stream), "epoch": .string(report.epoch),
                "last": .integer(Int64(clamping: report.last)), "heard": .array(report.heard.map { .string($0) }),
            ]
            return Terminal.line(answer.text)
        }
        let heard = report.heard.isEmpty ? "no other node" : report.heard.joined(separator: ", ")
        let epoch =
            report.isEpochNew
            ? "is new, since the machine stopped while commits were on the disks of the journal only" : "stays"
        Terminal.line(
            """
            The journal \(report.stream) is made again, after entry \(report.last); the epoch \(report.epoch) \(epoch).
            Heard meanwhile: \(heard). Only those could be compared with this folder.
            Start this node first, then start all others again: those that have less fetch a database.
            """)
    }
}
