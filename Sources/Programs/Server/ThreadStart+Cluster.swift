import Authentication
import Cluster
import Configuration
import EventLoop
import Gateway
import Journal
import JournalLink
import Model
import Store
import Telemetry
import ThreadMessages

extension ThreadStart {
    /// Starts the thread that connects this node with the others; nil on a node that is alone.
    ///
    /// - Parameters:
    ///   - secrets: the one that signs, and those that are accepted.
    ///   - standing: The thread shows there how the node stands.
    ///   - board: The thread shows there what it knows of the cluster.
    ///   - peers: Knows how many sessions users have on other nodes.
    ///   - installed: The program that is installed; nil where nobody looks at it.
    func cluster(
        _ opened: OpenedDatabase, _ secrets: [ServerSecret], standing: NodeStanding, board: ClusterBoard?,
        _ peers: PeerPolicy, newestSchema: Int = Founding.schema, installed: InstalledProgram? = nil
    ) throws -> Worker<ClusterMessage>? {
        guard let mailbox = mail.cluster else { return nil }
        let cluster = configuration.cluster
        let name = try cluster.nodeName()
        let options = try JournalOptions(cluster, name: name)
        let start = NodeStart(
            name: name, address: cluster.address ?? "", fingerprint: secrets[0].audience,
            keys: JournalKeys(secrets), run: .random(in: 1...UInt64(Int64.max)), place: opened.place,
            author: opened.author,
            schema: opened.schema, head: opened.head.value, program: ServerConfiguration.serverName,
            mayLead: cluster.mayLead,
            digest: NodeDigest.make(of: configuration).text, newestSchema: newestSchema)
        do {
            return try Worker.start("cluster", emptying: mailbox, on: stage) {
                [mail, metrics, log, clock, storage, simulated] loop in
                let surroundings = ClusterSurroundings(
                    mail: mail, clock: clock, metrics: metrics, standing: standing, storage: storage, log: log,
                    sessionsElsewhere: peers.sessionsElsewhere, board: board, installed: installed, on: loop)
                let first = Int.random(in: 0..<max(1, options.addresses.count))
                let thread = try ClusterThread(start, in: surroundings) { events in
                    try simulated?.makeJournal(loop, events)
                        ?? JournalClient(on: loop, options, beginning: first, events)
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
}
