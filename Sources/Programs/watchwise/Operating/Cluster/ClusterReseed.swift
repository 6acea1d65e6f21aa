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
            last entry of the folder. A node that is heard and has more is named, and nothing is made.

            With --nodes, and as many heard, the epoch stays and clients go on. It is a new one, so that clients fetch their \
            state again, when a node was not heard, when a backup was restored into the folder, or when the machine has lost \
            power since. A journal that has everything is never replaced. One that ends before the folder's last entry, or goes \
            on after a restored backup, is deleted by --delete-journal alone.

            EXAMPLES
              watchwise cluster reseed --from /var/lib/watchwise --nodes 3
              watchwise cluster reseed --from /var/lib/watchwise --config /etc/watchwise.json
              watchwise cluster reseed --from /var/lib/watchwise --delete-journal
            """
    )

    @Option(help: .value("dir", "The folder of the node that is furthest."))
    var from: String
    @Option(help: .value("n", "How many nodes there are, this one with them; the others must run."))
    var nodes: Int?
    @Flag(help: "Delete a journal that ends before the folder's last entry, or goes on after a restored backup.")
    var deleteJournal = false
    @OptionGroup var stream: StreamSizeOptions
    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var sources: JournalSources

    func run() throws {
        let configuration = try sources.nodeConfiguration(data: from)
        var orders = ClusterReseeder.Orders(size: try stream.size())
        (orders.nodes, orders.deletesJournal) = (nodes, deleteJournal)
        do {
            show(try ClusterReseeder.reseed(configuration, orders))
        } catch {
            throw CommandFailure(error.isConfiguration ? .misused : .failed, error.description)
        }
    }

    private func show(_ report: ClusterReseeder.Report) {
        guard !json else {
            let answer: JSONValue = [
                "stream": .string(report.stream), "epoch": .string(report.epoch),
                "isEpochNew": .bool(report.renewal != nil),
                "reason": report.renewal.map { .string($0.rawValue) } ?? .null,
                "last": .integer(Int64(clamping: report.last)), "heard": .array(report.heard.map { .string($0) }),
            ]
            return Terminal.line(answer.text)
        }
        let heard = report.heard.isEmpty ? "no other node" : report.heard.joined(separator: ", ")
        let epoch = report.renewal.map { "is new: \($0.rawValue); clients fetch their state again" } ?? "stays"
        Terminal.line(
            """
            The journal \(report.stream) is made again, after entry \(report.last); the epoch \(report.epoch) \(epoch).
            Heard meanwhile: \(heard). Only those could be compared with this folder.
            Start this node first, then all others again\(report.others).
            """)
    }
}
