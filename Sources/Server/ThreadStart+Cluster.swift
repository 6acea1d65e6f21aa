import Authentication
import Cluster
import Configuration
import EventLoop
internal import Foundation
import Journal
import JournalLink
import Mail
import Model
import Store
import Telemetry

extension ThreadStart {
    /// Starts the thread that connects this node with the others; nil on a node that is alone.
    ///
    /// - Parameter standing: The thread shows there how the node stands.
    func cluster(
        _ opened: OpenedDatabase, _ secret: ServerSecret, standing: NodeStanding
    ) throws -> Worker<ClusterMessage>? {
        guard let mailbox = mail.cluster else { return nil }
        let cluster = configuration.cluster
        let name = cluster.node ?? String(ProcessInfo.processInfo.hostName.prefix { $0 != "." })
        let options = try Self.journalOptions(cluster, name)
        let start = NodeStart(
            name: name, address: cluster.address ?? "", fingerprint: secret.audience,
            run: .random(in: 1...UInt64(Int64.max)), place: opened.place, schema: opened.schema,
            head: opened.head.value,
            program: ServerConfiguration.serverName, mayLead: cluster.mayLead)
        do {
            return try Worker.start("cluster", emptying: mailbox, on: stage) { [mail, metrics, log, clock] loop in
                let surroundings = ClusterSurroundings(
                    mail: mail, clock: clock, metrics: metrics, standing: standing, log: log, on: loop)
                let first = Int.random(in: 0..<max(1, options.addresses.count))
                let thread = try ClusterThread(start, in: surroundings) { events in
                    try JournalClient(on: loop, options, beginning: first, events)
                }
                return { batch in
                    defer { batch.removeAll(keepingCapacity: true) }
                    return thread.receive(batch)
                }
            }
        } catch {
            throw StartProblem(isConfiguration: false, "the thread of the cluster cannot start: \(error)")
        }
    }

    private var clock: WallClock { configuration.clock }

    private static func journalOptions(
        _ cluster: ClusterConfiguration, _ name: String
    ) throws(StartProblem) -> JournalOptions {
        do {
            let addresses = try cluster.journal.map { (text) throws(JournalFailure) in try JournalAddress(text) }
            var options = try JournalOptions(addresses: addresses, application: cluster.application, name: name)
            options.credentials = cluster.credentials
            options.authorities = cluster.authorities
            return options
        } catch {
            throw StartProblem(isConfiguration: true, "--journal: \(error)")
        }
    }
}
