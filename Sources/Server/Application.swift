package import Authentication
import Compression
package import EventLoop
internal import Foundation
import JSON
import Model
import Outbound
import Services
import Store
import Synchronization
import TLS
import Triggers

/// A running server: the writer's thread, the readers' and the loops', wired together.
///
/// - Confinement: any
package final class Application: Sendable {
    /// Where it listens, with the ports that the kernel chose.
    package let addresses: [String]
    /// The server's secret, with which tokens are signed.
    package let secret: ServerSecret

    let writer: (thread: LoopThread, mailbox: Mailbox<WriterThread.Message>)
    private let readers: [(thread: LoopThread, mailbox: Mailbox<ReaderThread.Message>)]
    private let backups: (thread: LoopThread, mailbox: Mailbox<BackupThread.Message>)
    /// Of the database, by the thread of the backups; to be ended by a stop.
    private let check: DatabaseCheck
    private let feeds: (thread: LoopThread, desk: FeedDesk)?
    let loops: [(thread: LoopThread, mailbox: Mailbox<LoopMessage>)]
    /// Nil in the simulation, which has no network beyond its own.
    private let webhooks: (thread: LoopThread, mailbox: Mailbox<WebhookSender.Message>)?
    private let keeper: (thread: LoopThread, mailbox: Mailbox<IssuerKeeper.Message>)?
    private let loopsDrained: DispatchSemaphore
    private let metrics: Metrics
    /// The longest that a stop waits for writes that were begun.
    private let stopMilliseconds: Int64
    /// Held until the server has stopped: its end is the end of the lock on the folder.
    private let directory: Mutex<DataDirectory?>
    private let log: ServerLog
    private let certificate: ServerCertificate?

    /// Starts a server; it serves when this returns.
    ///
    /// - Parameter stage: has all of its loops, instead of threads; whoever made it turns them.
    /// - Throws: ``StartProblem``
    package init(_ configuration: ServerConfiguration, on stage: LoopStage? = nil) throws {
        let log = ServerLog(minimum: configuration.logLevel, clock: configuration.clock)
        self.log = log
        let encryption = try Self.loadCertificate(configuration, log)
        certificate = encryption?.certificate
        let directory: DataDirectory
        (directory, secret) = try Self.openFolder(configuration.data, log)
        self.directory = Mutex(directory)
        let peers = PeerPolicy(configuration)
        let metrics = Metrics(peerMemory: peers.memory)
        self.metrics = metrics
        stopMilliseconds = configuration.stopMilliseconds
        let descriptors = DescriptorLimit.raise()
        let storage = StorageHealth()
        let opened = try Self.startWriter(directory, configuration, metrics, storage, log, stage)
        writer = (opened.thread, opened.mailbox)
        let loopCount = min(configuration.loops ?? ProcessInfo.processInfo.activeProcessorCount, 64)
        let readers = try (0..<max(1, loopCount / 2)).map { number in
            try Self.startReader(number, directory, opened, configuration, peers.memory, log, stage)
        }
        self.readers = readers
        let keysAreHere = DispatchSemaphore(value: 0)
        let keeper = try Self.startKeeper(configuration, metrics, log, keysAreHere)
        self.keeper = keeper
        let demo = try Self.stage(configuration, secret)
        let tokens = TokenCheck(
            TokenVerifier(
                secret: secret, audience: demo?.audience, issuers: configuration.foreignIssuers.map(\.trusted)),
            wantedMilliseconds: configuration.keyPace.wantedMilliseconds)
        let check = DatabaseCheck(directory)
        self.check = check
        let backups = try Self.startBackups(directory, check, opened.mailbox, metrics, log, stage)
        self.backups = backups
        let feeds = try Self.startFeeds(directory, opened.mailbox, configuration, metrics, log, stage)
        self.feeds = feeds
        webhooks =
            stage == nil ? try Self.startWebhooks(directory, opened.mailbox, configuration, metrics, log) : nil
        let wanted = try Self.resolve(configuration.listen)
        let watchedPaths = WatchedPaths()
        writer.mailbox.post(.watched(watchedPaths))
        let settings = LoopSettings(
            tokens: tokens, issuerKeeper: keeper?.mailbox, revocations: opened.revocations, epoch: opened.epoch,
            collections: opened.collections, clock: configuration.clock, metrics: metrics, log: log,
            storage: storage, claimNumbers: ClaimNumbers(), watchedPaths: watchedPaths, writer: opened.mailbox,
            readers: readers.map(\.mailbox), backups: backups.mailbox,
            feeds: feeds?.desk,
            heartbeatMilliseconds: configuration.heartbeatMilliseconds,
            stopMilliseconds: configuration.stopMilliseconds, helloMilliseconds: configuration.helloMilliseconds,
            requestMilliseconds: configuration.requestMilliseconds,
            startBounds: configuration.startBounds, hasEcho: configuration.hasEcho, origins: configuration.origins,
            names: ServerNames(listeners: wanted, origins: configuration.origins),
            encryption: encryption.map { ($0.context, $0.certificate.ticketKeys) },
            compression: configuration.compression, peers: peers,
            contextBudget: ContextBudget(bytesMax: Limits.contextBytesMax),
            demo: demo?.stage, serverName: ServerConfiguration.serverName)
        let drained = DispatchSemaphore(value: 0)
        loopsDrained = drained
        loops = try (0..<loopCount).map { number in
            try Self.startLoop(number, settings, opened.head, drained, stage)
        }
        // Everybody knows the loops before the first client can ask for anything.
        let mailboxes = loops.map(\.mailbox)
        Self.introduce(mailboxes, to: writer.mailbox, readers.map(\.mailbox), backups.mailbox, keeper?.mailbox)
        Self.introduce(mailboxes, to: feeds?.desk, writer.mailbox)
        if keeper != nil { _ = keysAreHere.wait(timeout: .now() + .milliseconds(Limits.keysStartMilliseconds)) }
        addresses = try Self.listen(on: wanted, mailboxes, stage).map(\.description)
        Self.boundConnections(descriptors, peers, log)
        log.info("started", ["addresses": addresses.joined(separator: " "), "loops": "\(loopCount)"])
        Self.warn(of: configuration, log)
    }

    /// Reads the TLS files again: new connections get what is in them now, those that stand go on with what they have.
    /// Files that cannot be used change nothing; the log says why.
    package func reloadCertificate() {
        guard let certificate else { return log.info("nothing to reload: there is no TLS certificate") }
        do {
            let context = try certificate.load(log)
            for loop in loops { loop.mailbox.post(.certificate(context)) }
            log.info("reloaded the TLS certificate")
        } catch {
            log.error("the TLS certificate stays as it is", ["error": "\(error)"])
        }
    }

    /// Reads and fetches the keys of foreign issuers again.
    package func reloadIssuerKeys() { keeper?.mailbox.post(.reload) }

    /// Stops: every write begun is answered, clients are told, the database is closed.
    package func stop() {
        beginStopping()
        // Connections that do not take their goodbye are cut by the loops themselves; this bound is for a stuck loop.
        let deadline = DispatchTime.now() + .milliseconds(Int(stopMilliseconds + Limits.drainMilliseconds) + 1500)
        for _ in loops where loopsDrained.wait(timeout: deadline) == .timedOut {
            log.warning("a loop did not drain in time")
        }
        let unanswered = metrics.writesUnanswered.load(ordering: .relaxed)
        if unanswered > 0 {
            log.warning(
                "the disk took too long: writes go unanswered, and may be stored all the same",
                ["writes": "\(unanswered)"])
        }
        finishStopping(on: nil)
    }

    /// The first half of ``stop()``: from here on clients are told, and nothing new is begun.
    package func beginStopping() {
        log.info("stopping")
        for loop in loops { loop.mailbox.post(.drain) }
    }

    /// The second half: ends the threads.
    ///
    /// - Parameter stage: the one that the server was started on.
    package func finishStopping(on stage: LoopStage?) {
        keeper?.mailbox.post(.stop)
        keeper?.thread.join()
        // Its last write must be with the writer before that is told to stop.
        feeds?.desk.keeper.post(.stop)
        feeds?.thread.join()
        webhooks?.mailbox.post(.stop)
        webhooks?.thread.join()
        writer.mailbox.post(.stop)
        for reader in readers { reader.mailbox.post(.stop) }
        check.end()
        backups.mailbox.post(.stop)
        stage?.settle()
        backups.thread.join()
        for reader in readers { reader.thread.join() }
        writer.thread.join()
        for loop in loops { loop.thread.stop() }
        stage?.settle()
        for loop in loops { loop.thread.join() }
        directory.withLock { $0 = nil }
        log.info("stopped")
    }
}

// MARK: - Starting the threads

extension Application {
    private static func loadCertificate(
        _ configuration: ServerConfiguration, _ log: ServerLog
    ) throws -> (certificate: ServerCertificate, context: TLSContext)? {
        switch (configuration.tlsCertificate, configuration.tlsKey) {
        case (nil, nil): return nil
        case (let certificatePath?, let keyPath?):
            do {
                let certificate = try ServerCertificate(certificatePath: certificatePath, keyPath: keyPath)
                return (certificate, try certificate.load(log))
            } catch {
                throw StartProblem(isConfiguration: true, "TLS: \(error)")
            }
        case (nil, _?), (_?, nil):
            throw StartProblem(isConfiguration: true, "TLS needs both tls-certificate and tls-key")
        }
    }

    /// Says what in a configuration is seldom meant.
    private static func warn(of configuration: ServerConfiguration, _ log: ServerLog) {
        if configuration.hasEcho { log.warning("the echo endpoint is on: anybody may use /v1/echo") }
        for variable in configuration.unknownVariables {
            log.warning(
                "an environment variable means nothing to this server",
                ["variable": variable.name, "nearest": variable.nearest ?? "none"])
        }
    }

    /// Takes the folder for this server alone, and its secret.
    private static func openFolder(_ path: String, _ log: ServerLog) throws -> (DataDirectory, ServerSecret) {
        do {
            let directory = try DataDirectory(path)
            if let mode = directory.modeBefore {
                log.warning(
                    "others could enter the folder: it is for its owner alone now",
                    ["folder": path, "mode": String(mode, radix: 8)])
            }
            return (directory, try ServerSecret.loadOrCreate(inFolder: path))
        } catch let problem as DataDirectory.Problem {
            throw StartProblem(isConfiguration: false, problem.description + FolderOwner.hint(path))
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
        }
    }

    /// The demo's stage, on which everybody gets a token; nil when there is no demo. The tokens are for this run alone:
    /// whoever took one must not be let in by a server that is started on the same folder later.
    private static func stage(
        _ configuration: ServerConfiguration, _ secret: ServerSecret
    ) throws -> (stage: DemoStage, audience: String)? {
        guard let make = configuration.demo else { return nil }
        let audience = try ServerSecret.newAudience()
        let clock = configuration.clock
        let stage = make { user in
            let now = clock.now()
            let claims = Claims(subject: user, expiresAt: now.adding(milliseconds: 86_400_000))
            return JSONWebToken.sign(claims, issuedAt: now, with: secret, audience: audience)
        }
        return (stage, audience)
    }

    /// Takes as many connections as there are descriptors for, when everything else is open.
    private static func boundConnections(_ descriptors: Int, _ peers: PeerPolicy, _ log: ServerLog) {
        let free = max(0, descriptors - DescriptorLimit.used)
        let connectionsMax = free - min(Limits.reservedDescriptors, free / 4)
        peers.connectionsMax.store(connectionsMax, ordering: .relaxed)
        log.info("descriptors", ["limit": "\(descriptors)", "connections": "\(connectionsMax)"])
    }

    private static func resolve(_ texts: [String]) throws -> [SocketAddress] {
        try texts.map { text in
            do {
                return try SocketAddress(text)
            } catch {
                throw StartProblem(
                    isConfiguration: true, "listen: '\(text)' is no address; write HOST:PORT, such as 127.0.0.1:8080")
            }
        }
    }

    private struct OpenedWriter: Sendable {
        let thread: LoopThread
        let mailbox: Mailbox<WriterThread.Message>
        let epoch: Epoch
        let head: Position
        let revocations: Revocations
        /// The configured plurals, and those that the folder brings along.
        let collections: TopicCollections
    }

    private static func startWriter(
        _ directory: DataDirectory, _ configuration: ServerConfiguration, _ metrics: Metrics,
        _ storage: StorageHealth, _ log: ServerLog, _ stage: LoopStage?
    ) throws -> OpenedWriter {
        do {
            let (thread, opened) = try LoopThread.start(named: "writer", on: stage) { loop in
                let writer = try Storage.openWriter(directory)
                let idle = try FirstStart.loadTriggers(configuration.triggers, into: writer, log)
                if !idle.isEmpty {
                    log.warning(
                        "configured triggers are not in force: the folder has its own table; put them to change it",
                        ["triggers": idle.joined(separator: " ")])
                }
                let collections = try FirstStart.collections(configuration.collections, writer, log)
                let stateMachine = try StateMachine(
                    triggerRows: try writer.read { try $0.triggers.all() }, collections: collections,
                    rules: configuration.rules, tally: metrics.triggers)
                if try !configuration.rules.json.isEmpty && writer.read({ try $0.accessRules.find() }) != nil {
                    log.warning("the configured access rules are not in force: others were put at run time")
                }
                if let reason = writer.epochRenewal {
                    log.warning("new epoch: clients fetch their state anew", ["reason": reason])
                }
                let thread = WriterThread(
                    writer: writer, stateMachine: stateMachine,
                    trimming: TrimLog(retentionMilliseconds: configuration.logRetention.milliseconds),
                    clock: configuration.clock, metrics: metrics, storage: storage, log: log,
                    writeBytesAnHour: configuration.writeBytesAnHour, on: loop)
                let take = { (batch: inout [WriterThread.Message]) in
                    if thread.receive(batch) { loop.stop() }
                    batch.removeAll(keepingCapacity: true)
                }
                let mailbox = try Mailbox(taking: take, on: loop)
                let revocations = Revocations(try writer.read { try $0.revocations.all() })
                return (mailbox, writer.epoch, writer.head, revocations, collections)
            }
            return OpenedWriter(
                thread: thread, mailbox: opened.0, epoch: opened.1, head: opened.2, revocations: opened.3,
                collections: opened.4)
        } catch let problem as StartProblem {
            throw problem
        } catch {
            throw StartProblem(
                isConfiguration: false,
                "the database in \(configuration.data) cannot be used: \(error)\(FolderOwner.hint(configuration.data))")
        }
    }

    private static func startReader(
        _ number: Int, _ directory: DataDirectory, _ opened: OpenedWriter, _ configuration: ServerConfiguration,
        _ memory: PeerMemory, _ log: ServerLog, _ stage: LoopStage?
    ) throws -> (thread: LoopThread, mailbox: Mailbox<ReaderThread.Message>) {
        do {
            let (thread, mailbox) = try LoopThread.start(named: "reader-\(number)", on: stage) { loop in
                let thread = ReaderThread(
                    reader: try Storage.openReader(directory), epoch: opened.epoch, collections: opened.collections,
                    rules: configuration.rules, log: log, memory: memory, on: loop)
                let take = { (batch: inout [ReaderThread.Message]) in
                    if thread.receive(batch) { loop.stop() }
                    batch.removeAll(keepingCapacity: true)
                }
                return try Mailbox(taking: take, on: loop)
            }
            return (thread, mailbox)
        } catch {
            throw StartProblem(
                isConfiguration: false,
                "the database in \(configuration.data) cannot be read: \(error)\(FolderOwner.hint(configuration.data))")
        }
    }

    /// Starts the thread that keeps the keys of foreign issuers; nil when there is none to keep.
    private static func startKeeper(
        _ configuration: ServerConfiguration, _ metrics: Metrics, _ log: ServerLog, _ keysAreHere: DispatchSemaphore
    ) throws -> (thread: LoopThread, mailbox: Mailbox<IssuerKeeper.Message>)? {
        guard !configuration.foreignIssuers.isEmpty else { return nil }
        let (thread, mailbox) = try LoopThread.start(named: "outbound") { loop in
            let client: OutboundClient
            do {
                client = try OutboundClient(
                    on: loop, policy: AddressPolicy(allowing: configuration.outboundAllow),
                    authorities: configuration.outboundAuthorities)
            } catch {
                throw StartProblem(isConfiguration: false, "no way out for issuers' keys: \(error)")
            }
            let keeper = IssuerKeeper(
                of: configuration.foreignIssuers, pace: configuration.keyPace, client: client, on: loop,
                metrics: metrics, log: log)
            keeper.setFirstAttemptsOver { keysAreHere.signal() }
            return try Mailbox<IssuerKeeper.Message>(on: loop) { messages in
                if keeper.receive(messages) { loop.stop() }
            }
        }
        return (thread, mailbox)
    }

    /// Starts the thread that sends webhooks.
    private static func startWebhooks(
        _ directory: DataDirectory, _ writer: Mailbox<WriterThread.Message>, _ configuration: ServerConfiguration,
        _ metrics: Metrics, _ log: ServerLog
    ) throws -> (thread: LoopThread, mailbox: Mailbox<WebhookSender.Message>) {
        do {
            let (thread, mailbox) = try LoopThread.start(named: "webhooks") { loop in
                let reader = try Storage.openReader(directory)
                let settings = configuration.webhooks
                let make = { (admitsPublic: Bool) in
                    try OutboundClient(
                        on: loop, policy: AddressPolicy(allowing: settings.allow, admitsPublic: admitsPublic),
                        authorities: configuration.outboundAuthorities)
                }
                let encrypted = try make(true)
                let clients = WebhookSender.Clients(encrypted: encrypted, plain: try make(settings.mayBePlain))
                let sender = WebhookSender(
                    reader: reader, clients: clients, writer: writer, configuration: configuration, metrics: metrics,
                    log: log, on: loop)
                return try Mailbox<WebhookSender.Message>(on: loop) { messages in
                    if sender.receive(messages) { loop.stop() }
                }
            }
            writer.post(.webhooks(mailbox))
            return (thread, mailbox)
        } catch {
            throw StartProblem(isConfiguration: false, "webhooks cannot be sent: \(error)")
        }
    }

    private static func startBackups(
        _ directory: DataDirectory, _ check: DatabaseCheck, _ writer: Mailbox<WriterThread.Message>,
        _ metrics: Metrics, _ log: ServerLog, _ stage: LoopStage?
    ) throws -> (thread: LoopThread, mailbox: Mailbox<BackupThread.Message>) {
        do {
            let hasOwnMemory = stage == nil
            let (thread, mailbox) = try LoopThread.start(named: "backup", on: stage) { loop in
                let thread = try BackupThread(directory, check: check, writer: writer, metrics: metrics, log: log)
                // A simulation's memory is not its own.
                let keeper = hasOwnMemory ? MemoryKeeper(metrics: metrics, log: log, on: loop) : nil
                return try Mailbox<BackupThread.Message>(on: loop) { messages in
                    guard thread.receive(messages) else { return }
                    keeper?.close()
                    loop.stop()
                }
            }
            writer.post(.checker(mailbox))
            return (thread, mailbox)
        } catch {
            throw StartProblem(isConfiguration: false, "backups cannot be made: \(error)")
        }
    }

    private static func startLoop(
        _ number: Int, _ settings: LoopSettings, _ head: Position, _ drained: DispatchSemaphore,
        _ stage: LoopStage?
    ) throws -> (thread: LoopThread, mailbox: Mailbox<LoopMessage>) {
        let (thread, mailbox) = try LoopThread.start(named: "loop-\(number)", on: stage) { loop in
            let server = LoopServer(number: number, loop: loop, settings: settings, head: head)
            server.setDrained { drained.signal() }
            let take = { (batch: inout [LoopMessage]) in
                server.receive(batch)
                batch.removeAll(keepingCapacity: true)
            }
            return try Mailbox(taking: take, on: loop)
        }
        return (thread, mailbox)
    }

    /// Tells everybody of the loops, and the loops of each other.
    private static func introduce(
        _ loops: [Mailbox<LoopMessage>], to writer: Mailbox<WriterThread.Message>,
        _ readers: [Mailbox<ReaderThread.Message>], _ backups: Mailbox<BackupThread.Message>,
        _ keeper: Mailbox<IssuerKeeper.Message>?
    ) {
        writer.post(.loops(loops))
        for reader in readers { reader.post(.loops(loops)) }
        backups.post(.loops(loops))
        for loop in loops { loop.post(.peers(loops)) }
        keeper?.post(.loops(loops))
    }

    /// Has every loop listen: the first finds the ports, the others share them.
    private static func listen(
        on addresses: [SocketAddress], _ loops: [Mailbox<LoopMessage>], _ stage: LoopStage?
    ) throws -> [SocketAddress] {
        var bound = addresses
        for loop in loops {
            let answer = ListenAnswer()
            loop.post(.listen(bound, answer))
            stage?.settle()
            switch answer.wait() {
            case .success(let addresses): bound = addresses
            case .failure(let error):
                let names = bound.map(\.description).joined(separator: ", ")
                throw StartProblem(isConfiguration: false, "cannot listen on \(names): \(error)")
            }
        }
        return bound
    }
}
