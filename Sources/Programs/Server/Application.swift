package import Admin
package import Authentication
package import Configuration
import Crypto
package import EventLoop
internal import Foundation
import Gateway
package import Model
import Quotas
import Searching
import Services
import Store
import StoreThread
import Synchronization
import Telemetry
package import ThreadMessages

/// A running server: makes the threads, gives them each other's mailboxes, and ends them in order.
///
/// - Confinement: any
package final class Application: Sendable {
    /// Makes the pages of an application when the server's secret is known, so that they can sign tokens.
    package typealias PagesMaker = @Sendable (_ sign: @escaping @Sendable (UserID) -> String) -> any ServedPages

    /// The addresses on which it listens, with the ports that the kernel chose.
    package let addresses: [String]
    /// The server's secret, which signs tokens.
    package let secret: ServerSecret

    package let mail: Mailboxes
    private let threads: ServerThreads
    /// How this node stands among the others.
    private let standing: NodeStanding
    private let metrics: Metrics
    /// The longest time that a stop waits for started writes.
    private let stopMilliseconds: Int64
    /// Held until the server has stopped: it releases the lock on the folder.
    private let directory: Mutex<DataDirectory?>
    private let log: ServerLog
    private let certificate: ServerCertificate?
    /// The program that is installed, for the other nodes of a cluster.
    private let installed = InstalledProgram()
    private let programWatch = Mutex<ProgramWatch?>(nil)
    /// Brings commits to the disk on a member; nil on a server that is alone, which does so before it answers.
    private let flush: CommitFlush?
    /// Looks at the journal's settings; nil on a server that is alone.
    private let inspection: JournalInspection?

    /// Starts a server; it serves requests when this returns.
    ///
    /// - Parameters:
    ///   - makePages: Makes the pages that an application serves in addition to the API.
    ///   - stage: Holds all loops instead of threads; the caller turns them.
    ///   - simulated: On such a stage, the parts of a member that the caller replaces.
    /// - Throws: ``StartProblem``
    package convenience init(
        _ configuration: ServerConfiguration, pages makePages: PagesMaker? = nil, on stage: LoopStage? = nil,
        in simulated: SimulatedCluster? = nil
    ) throws {
        try self.init(
            configuration, pages: makePages, on: stage, in: simulated, tellingCommitsTo: nil, answeringPushesTo: nil)
    }

    /// - Parameters:
    ///   - commits: Mailboxes that get the writer's messages instead of the loops, for tests that deliver them later.
    ///   - push: Gets the loops' answers to questions for pushes instead of their sender, for tests that ask.
    init(
        _ configuration: ServerConfiguration, pages makePages: PagesMaker? = nil, on stage: LoopStage? = nil,
        in simulated: SimulatedCluster? = nil,
        tellingCommitsTo commits: [Mailbox<LoopMessage>]? = nil, answeringPushesTo push: Mailbox<PushMessage>? = nil
    ) throws {
        log = ServerLog(minimum: configuration.logLevel, clock: configuration.clock)
        let peers = PeerPolicy(configuration)
        metrics = Metrics(peerMemory: peers.memory)
        let encryption = try Self.loadCertificate(configuration, log, metrics)
        certificate = encryption?.certificate
        let folder = try ServerFolder(configuration, log, isSimulated: simulated != nil)
        secret = folder.secret
        directory = Mutex(folder.directory)
        let pushOffer = try PushStart.offer(configuration, log)
        stopMilliseconds = configuration.stopMilliseconds
        let descriptors = DescriptorLimit.raise()
        let loopCount = min(configuration.loops ?? ProcessInfo.processInfo.activeProcessorCount, 64)
        mail = Mailboxes(
            loops: loopCount, readers: max(1, loopCount / 2), reachesOutside: stage == nil,
            hasIssuers: !configuration.foreignIssuers.isEmpty, searches: configuration.searches && stage == nil,
            isMember: configuration.cluster.isMember)
        let check = DatabaseCheck(folder.directory)
        let start = ThreadStart(
            configuration: configuration, directory: folder.directory,
            index: SearchFile(in: folder.directory), mail: mail, metrics: metrics, log: log,
            storage: StorageHealth(), watchedPaths: WatchedPaths(), stage: stage, simulated: simulated)
        let (writer, opened) = try start.writer(tellingCommitsTo: commits ?? mail.loops)
        standing = NodeStanding(amongOthers: configuration.cluster.isMember)
        let nodes = configuration.cluster.isMember ? ClusterBoard() : nil
        flush = stage == nil && nodes != nil ? CommitFlush(of: folder.directory, metrics.journal, log) : nil
        inspection = nodes.flatMap { [standing, metrics, log] board in
            stage == nil ? JournalInspection(configuration, standing, board, metrics.journal, log) : nil
        }
        let cluster = try start.cluster(
            opened, try folder.secrets(), standing: standing, board: nodes, peers, installed: installed)
        let search = try start.search(opened)
        let readers = try mail.readers.indices.map { try start.reader($0, opened, peers.memory) }
        let backups = try start.backups(check, epoch: opened.epoch)
        let keysAreHere = DispatchSemaphore(value: 0)
        let issuers = try start.issuers(keysAreHere)
        let board = FeedBoard()
        let feeds = try start.feeds(board)
        let webhooks = try start.webhooks()
        let pushes = try start.pushes(opened, PushStart.tagKey(secret))
        let pages = try makePages.map { try Self.makePages($0, configuration.clock, folder.secret) }
        let wanted = try ListenerStart.resolve(configuration.listen)
        let verifier = try folder.verifier(configuration.foreignIssuers, audience: pages?.audience)
        let settings = LoopSettings(
            configuration: configuration, mail: mail, opened: opened,
            tokens: TokenCheck(verifier, wantedMilliseconds: configuration.keyPace.wantedMilliseconds),
            metrics: metrics, log: log, storage: start.storage, watchedPaths: start.watchedPaths,
            feeds: mail.feeds.map { Self.feedDesk(configuration.feeds, $0, board) },
            names: ServerNames(listeners: wanted, origins: configuration.origins),
            encryption: encryption.map { ($0.context, $0.certificate.ticketKeys) }, peers: peers,
            pushOffer: pushOffer, push: push ?? mail.push, pages: pages?.pages,
            standing: standing, cluster: nodes)
        let drained = DispatchSemaphore(value: 0)
        let loops = try mail.loops.indices.map { try start.loop($0, settings, drained) }
        threads = ServerThreads(
            writer: writer, readers: readers, backups: backups, check: check, feeds: feeds, webhooks: webhooks,
            pushes: pushes, issuers: issuers, search: search, loops: loops, cluster: cluster, drained: drained)
        if issuers != nil { _ = keysAreHere.wait(timeout: .now() + .milliseconds(IssuerKeyLimits.startMilliseconds)) }
        addresses = try ListenerStart(loops: mail.loops, stage: stage)
            .listen(on: wanted, figuresOn: configuration.metricsListen)
        Self.boundConnections(descriptors, peers, log)
        flush?.start()
        inspection?.start()
        folder.tellStart(at: addresses, loops: loopCount, opened.epoch, log)
        Self.warn(of: configuration, log)
    }

    /// Reads the TLS files again: new connections get their present content, open ones keep what they have. Unusable
    /// files change nothing; the log says why.
    package func reloadCertificate() {
        guard let certificate else { return log.info("nothing to reload: there is no TLS certificate") }
        do {
            let context = try certificate.load(log, metrics)
            for loop in mail.loops { loop.post(.certificate(context)) }
            log.info("reloaded the TLS certificate")
        } catch {
            log.error("the TLS certificate was not changed", ["error": "\(error)"])
        }
    }

    /// Reads the secret again: tokens of one that was dropped are refused from now on. Open sessions keep theirs until their
    /// tokens expire. An unusable file changes nothing; the log says why.
    package func reloadSecret() {
        guard let folder = directory.withLock({ $0?.path }) else { return }
        do {
            guard let secrets = try ServerSecret.loadAll(fromFolder: folder) else {
                return log.error("the secret was not changed", ["error": "there is no secret in \(folder)"])
            }
            for loop in mail.loops { loop.post(.secrets(secrets)) }
            log.info("reloaded the secret", ["accepted": "\(secrets.count)"])
        } catch {
            log.error("the secret was not changed", ["error": "\(error)"])
        }
    }

    /// Reads and fetches the keys of foreign issuers again.
    package func reloadIssuerKeys() { mail.issuers?.post(.reload) }

    /// Reads the keys of the push services again; those that waited for another key go on.
    package func reloadPushKeys() { mail.push?.post(.reload) }

    /// Why this node must end and start again, so that it fetches the database of another one; nil when it
    /// need not.
    package var rejoins: String? { standing.now.rejoins }

    /// The newest entry of the journal that its database has, if sessions may begin and read here; nil when they may not.
    ///
    /// - Parameter bounds: with the settings of this server.
    package func readsUpTo(_ bounds: ClusterConfiguration) -> UInt64? {
        let facts = standing.now
        let distance = NodeDistance(
            facts, readyMilliseconds: bounds.lagReadyMilliseconds, closeMilliseconds: bounds.lagCloseMilliseconds)
        return distance.refusal == nil ? facts.applied : nil
    }

    /// Says in the figures which program runs.
    ///
    /// - Parameter labels: names such as `commit`, with their values.
    package func showBuild(_ labels: [(name: String, value: String)]) { metrics.machine.setBuild(labels) }

    /// Whether it leads the cluster.
    package var leads: Bool { standing.now.role == .leading }

    /// Whether it takes no part any more in the cluster.
    package var isOut: Bool { standing.now.role == .stopped }

    /// Why this node must end and start again with the program that is installed; nil when it need not.
    package var restarts: String? { standing.now.restarts }

    /// Why this node's program cannot go on, and must be exchanged; nil when it can.
    package var unfit: String? { standing.now.unfit }

    /// Looks from now on which program is installed, for an upgrade of all nodes.
    ///
    /// - Parameter path: of the program's file.
    package func watchProgram(at path: String) throws {
        let watch = try ProgramWatch.start(path, telling: installed)
        programWatch.withLock { $0 = watch }
    }

    /// The number of sessions that are open.
    package var sessions: Int { metrics.sessions.now }

    /// Stops the server: started writes are answered, clients get `bye`, the database is closed.
    package func stop() {
        beginStopping()
        if restarts != nil {
            // No node leads before all have started again, so writes that wait then get no answer: they are refused.
            waitForLastEntries()
            threads.writer.tell(.stop)
        }
        // The loops themselves cut connections that do not take their goodbye; this bound is for a stuck loop.
        let deadline = DispatchTime.now() + .milliseconds(Int(stopMilliseconds + Limits.drainMilliseconds) + 1500)
        threads.waitForLoops(until: deadline) { log.warning("a loop did not end its connections in time") }
        let unanswered = metrics.writesUnanswered.load(ordering: .relaxed)
        if unanswered > 0 {
            log.warning(
                "the disk took too long: some writes got no answer, and may be stored all the same",
                ["writes": "\(unanswered)"])
        }
        finishStopping(on: nil)
    }

    private static let lastEntriesMilliseconds: Int64 = 5000
    /// The time within which the journal has been asked.
    private static let endAskedMilliseconds: Int64 = 1200

    /// Waits until the database has all entries of the node that led: then a write without an answer was not done. The
    /// journal is asked where it ends once a second.
    private func waitForLastEntries() {
        let end = ContinuousClock.now + .milliseconds(Self.lastEntriesMilliseconds)
        var since: ContinuousClock.Instant?
        while ContinuousClock.now < end {
            let facts = standing.now
            let isAtEnd = facts.leader == nil && facts.role != .leading && facts.applied >= facts.last
            since = isAtEnd ? since ?? .now : nil
            if let since, .now - since >= .milliseconds(Self.endAskedMilliseconds) { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    /// The server is about to stop: it is not ready from now on, and serves everybody as before.
    package func announceStop() {
        log.info("a stop is near: the server is not ready from now on")
        standing.announceStop()
    }

    /// The first half of ``stop()``: clients get `bye`, and no new work begins.
    package func beginStopping() {
        log.info("stopping")
        // Another node leads before the clients of this one have gone there.
        threads.cluster?.tell(.prepareToStop)
        for loop in threads.loops { loop.tell(.drain) }
    }

    /// The second half: ends the threads.
    ///
    /// - Parameter stage: The stage on which the server was started.
    package func finishStopping(on stage: LoopStage?) {
        flush?.stop()
        inspection?.stop()
        threads.end(on: stage)
        programWatch.withLock { $0 }?.stop()
        directory.withLock { $0 = nil }
        log.info("stopped")
    }
}
