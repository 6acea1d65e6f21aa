import Authentication
import Configuration
import EventLoop
import Execution
import Gateway
import Glibc
import Journal
import Model
import Quotas
import Searching
import Services
import Store
import StoreThread
import Telemetry
import ThreadMessages

/// The time of a member whose program is newer than its tables, before its server starts: it reads on from the journal, says
/// so to the others, and migrates where the journal says, see the page "Upgrades".
///
/// The thread of the cluster is the one of a server; the writer is an ``OlderWriter``, and there are no sessions.
///
/// - Confinement: the thread that starts the server
struct UpgradeWait {
    private static let lookMilliseconds: Int64 = 100

    let configuration: ServerConfiguration
    let directory: DataDirectory
    /// The one that signs, and those that are accepted.
    let secrets: [ServerSecret]
    let log: ServerLog
    /// Of the program.
    var migrations = Schema.migrations

    /// Waits until the folder's database is another one than it was: migrated, or marked as one that another must replace.
    ///
    /// - Throws: ``StartProblem``.
    func run() throws(StartProblem) {
        do {
            try waitForEntry()
        } catch {
            throw error as? StartProblem
                ?? StartProblem(
                    isConfiguration: false,
                    "the database in \(directory.path) cannot wait for the upgrade: \(error)"
                        + FolderOwner.hint(directory.path))
        }
    }

    private func waitForEntry() throws {
        let name = try configuration.cluster.nodeName()
        try FirstStart.copyOlderTables(of: directory, configuration, log)
        let database = try OlderDatabase(directory, migrations: migrations)
        log.warning(
            "the program is newer than the tables: this node waits for the upgrade of all nodes",
            ["schema": "\(database.schema)", "program": "\(database.newest)", "entry": "\(database.place.sequence)"],
            isChange: true)
        let mail = Mailboxes(loops: 1, readers: 1, reachesOutside: false, hasIssuers: false, isMember: true)
        guard let mailbox = mail.cluster else { return }
        let standing = NodeStanding(amongOthers: true)
        let peers = PeerPolicy(configuration)
        let threads = ThreadStart(
            configuration: configuration, directory: directory, index: SearchFile(in: directory), mail: mail,
            metrics: Metrics(peerMemory: peers.memory), log: log, storage: StorageHealth(),
            watchedPaths: WatchedPaths(), stage: nil)
        let opened = OpenedDatabase(
            epoch: database.epoch, head: database.head, revocations: Revocations([]), collections: TopicCollections(),
            place: database.place, schema: database.schema)
        let end: OlderWriter.End?
        do {
            let cluster = try threads.cluster(
                opened, secrets, standing: standing, board: nil, peers, newestSchema: database.newest)
            defer {
                cluster?.tell(.stop)
                cluster?.join()
            }
            end = try turn(mail, OlderWriter(database, node: name, mailbox, log), standing)
        } catch {
            try? database.close()
            throw error
        }
        try database.close()
        switch end {
        case .migrated, .diverged: break
        case .failed(let problem): throw problem
        case nil: throw Self.ending(of: standing)
        }
    }

    /// Runs a loop until there is an end; nil when the cluster's thread has found one, or a signal has come.
    private func turn(
        _ mail: Mailboxes, _ writer: OlderWriter, _ standing: NodeStanding
    ) throws -> OlderWriter.End? {
        let loop = try Loop()
        var signals: [SignalSource] = []
        do {
            try mail.writer.open(
                taking: { batch in
                    writer.receive(batch)
                    batch.removeAll()
                    if writer.end != nil { loop.stop() }
                }, on: loop)
            // Presence and signals of other nodes are for sessions, of which there are none.
            try mail.loops[0].open(taking: { $0.removeAll() }, on: loop)
            signals = try [SIGTERM, SIGINT].map { try SignalSource(on: loop, signal: $0) { loop.stop() } }
        } catch {
            loop.stop()
            loop.run()
            throw error
        }
        let door = WaitDoor(configuration, standing, on: loop)
        let timer = LoopTimer(on: loop) {
            if standing.now.role == .stopped { loop.stop() }
            door.look()
        }
        timer.start(afterMilliseconds: Self.lookMilliseconds, repeatingMilliseconds: Self.lookMilliseconds)
        loop.run()
        withExtendedLifetime((signals, timer, door)) {}
        return writer.end
    }

    private static func ending(of standing: NodeStanding) -> StartProblem {
        let facts = standing.now
        if let reason = facts.rejoins {
            return StartProblem(isConfiguration: false, "this node must be started again: \(reason)")
        }
        guard facts.role == .stopped else {
            var problem = StartProblem(isConfiguration: false, "the wait for the upgrade was ended by a signal")
            problem.wasStopped = true
            return problem
        }
        return StartProblem(
            isConfiguration: facts.unfit != nil,
            facts.unfit ?? "this node takes no part any more while it waits for the upgrade; its log says why")
    }
}
