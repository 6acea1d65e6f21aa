import Authentication
import AuthenticationThread
import Configuration
import EventLoop
import Execution
import FeedsThread
internal import Foundation
import Gateway
import Model
import Outbound
import PersonalData
import Push
import PushThread
import Quotas
import Searching
import Services
import Store
import StoreThread
import Telemetry
import ThreadMessages
import WebhooksThread

/// Starts the threads of a server, each with all that it needs.
///
/// - Confinement: the thread that starts the server
struct ThreadStart {
    let configuration: ServerConfiguration
    let directory: DataDirectory
    /// The index of messages in that folder.
    let index: SearchFile
    let mail: Mailboxes
    let metrics: Metrics
    let log: ServerLog
    let storage: StorageHealth
    /// The paths that the sessions of all loops watch.
    let watchedPaths: WatchedPaths
    /// In a simulation, holds the loops instead of threads.
    let stage: LoopStage?
    /// In a simulation of a cluster, its parts.
    var simulated: SimulatedCluster?

    /// - Parameter commits: The mailboxes of the loops that get the commits.
    func writer(
        tellingCommitsTo commits: [Mailbox<LoopMessage>]
    ) throws -> (Worker<WriterMessage>, OpenedDatabase) {
        try storing("cannot be used") {
            try Worker.start("writer", emptying: mail.writer, on: stage) {
                [configuration, directory, mail, metrics, log, storage, watchedPaths, simulated] loop in
                let isMember = configuration.cluster.isMember
                if !isMember { try FirstStart.copyOlderTables(of: directory, configuration, log) }
                let writer = try Storage.openWriter(directory, isMember: isMember)
                let found = try FirstStart.prepare(writer, configuration, tally: metrics.triggers, log)
                let ledger = ErasureLedger(of: directory)
                if !isMember {
                    let start = ErasureStart(writer, found.stateMachine, ledger, configuration.clock)
                    if try start.settle() {
                        log.warning(
                            "the database is older than an erasure, which is done again before anybody is served")
                        try start.finish()
                    }
                }
                let opened = OpenedDatabase(
                    epoch: writer.epoch, head: writer.head,
                    revocations: Revocations(try writer.read { try $0.revocations.all() }),
                    bans: try writer.read { try $0.restrictions.keptOut() },
                    erased: try writer.read { try ErasedNames(in: $0) }, collections: found.collections,
                    place: writer.place, author: writer.authorAtStart, schema: writer.schema)
                var member =
                    isMember
                    ? WriterMember(node: try configuration.cluster.nodeName(), first: found.writes) : nil
                member?.turn = simulated?.turnOthers
                let thread = WriterThread(
                    writer: writer, stateMachine: found.stateMachine,
                    trimming: TrimLog(configuration.retention),
                    watched: watchedPaths, mail: mail, tellingCommitsTo: commits, clock: configuration.clock,
                    metrics: metrics, storage: storage, log: log, writeBytesAnHour: configuration.writeBytesAnHour,
                    member: member, ledger: ledger, on: loop)
                thread.dutyChanged = { mail.tellDuty(isOn: $0) }
                let receive = { (batch: inout [WriterMessage]) in
                    defer { batch.removeAll(keepingCapacity: true) }
                    return thread.receive(batch)
                }
                return (receive, opened)
            }
        }
    }

    func reader(_ number: Int, _ opened: OpenedDatabase, _ memory: PeerMemory) throws -> Worker<ReaderMessage> {
        try storing("cannot be read") {
            try Worker.start("reader-\(number)", emptying: mail.readers[number], on: stage) {
                [configuration, directory, index, mail, metrics, log] loop in
                let thread = ReaderThread(
                    reader: try Storage.openReader(directory),
                    search: mail.search == nil ? nil : SearchReader(index), epoch: opened.epoch,
                    collections: opened.collections, rules: configuration.rules, profile: configuration.profile,
                    metrics: metrics, log: log, memory: memory, tellingLoops: mail.loops, mail.cluster, on: loop)
                return { batch in
                    defer { batch.removeAll(keepingCapacity: true) }
                    return thread.receive(batch)
                }
            }
        }
    }

    /// Starts the thread that indexes messages; nil on a server without search.
    func search(_ opened: OpenedDatabase) throws -> Worker<SearchMessage>? {
        guard let mailbox = mail.search else { return nil }
        return try storing("cannot be indexed") {
            try Worker.start("search", emptying: mailbox, on: nil) { [directory, index, metrics, log] loop in
                let thread = SearchThread(
                    reader: try Storage.openReader(directory), metrics: metrics, log: log, on: loop
                ) { try SearchIndex(index, epoch: opened.epoch) }
                return { batch in
                    defer { batch.removeAll(keepingCapacity: true) }
                    return thread.receive(batch)
                }
            }
        }
    }

    func backups(_ check: DatabaseCheck, epoch: Epoch) throws -> Worker<BackupMessage> {
        let own = BackupSchedule.Start(
            configuration.backups, directory, epoch: epoch, secrets: SecretFiles.names,
            clock: configuration.clock)
        return try starting("backups cannot be made") {
            try Worker.start("backup", emptying: mail.backups, on: stage) { [directory, mail, metrics, log] loop in
                let thread = try BackupThread(
                    directory, check: check, own: own, mail: mail, metrics: metrics, log: log, on: loop)
                return { batch in
                    defer { batch.removeAll(keepingCapacity: true) }
                    return thread.receive(batch)
                }
            }
        }
    }

    /// Starts the thread that keeps the keys of foreign issuers; nil when there are none.
    ///
    /// - Parameter keysAreHere: Signalled when each issuer has been tried.
    func issuers(_ keysAreHere: DispatchSemaphore) throws -> Worker<IssuerMessage>? {
        guard let mailbox = mail.issuers else { return nil }
        return try starting("the HTTP client for issuers' keys cannot be made") {
            try Worker.start("outbound", emptying: mailbox, on: nil) { [configuration, mail, metrics, log] loop in
                let keeper = IssuerKeeper(
                    of: configuration.foreignIssuers, pace: configuration.keyPace,
                    client: try Self.client(configuration, on: loop), tellingLoops: mail.loops, on: loop,
                    metrics: metrics, log: log)
                keeper.setFirstAttemptsOver { keysAreHere.signal() }
                return { batch in
                    defer { batch.removeAll(keepingCapacity: true) }
                    return keeper.receive(batch)
                }
            }
        }
    }

    /// Starts the thread that fetches the feeds, also when there are none yet, since feeds can be put at any time.
    func feeds(_ board: FeedBoard) throws -> Worker<FeedMessage>? {
        guard let mailbox = mail.feeds else { return nil }
        return try starting("feeds cannot be fetched") {
            try Worker.start("feeds", emptying: mailbox, on: nil) {
                [configuration, directory, mail, metrics, log] loop in
                // Opened before the client: if this fails, there is no client to close.
                let reader = try Storage.openReader(directory)
                let keeper = FeedKeeper(
                    configuration.feeds, reader: reader, client: try Self.client(configuration, on: loop), on: loop,
                    board: board, mail: mail, clock: configuration.clock, metrics: metrics, log: log,
                    isOnDuty: !configuration.cluster.isMember)
                return { batch in
                    defer { batch.removeAll(keepingCapacity: true) }
                    return keeper.receive(batch)
                }
            }
        }
    }

    /// Starts the thread that sends webhooks.
    func webhooks() throws -> Worker<WebhookMessage>? {
        guard let mailbox = mail.webhooks else { return nil }
        return try starting("webhooks cannot be sent") {
            try Worker.start("webhooks", emptying: mailbox, on: nil) {
                [configuration, directory, mail, metrics, log] loop in
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
                    reader: reader, clients: clients, writer: mail.writer, configuration: configuration,
                    metrics: metrics, log: log, isOnDuty: !configuration.cluster.isMember, on: loop)
                return { batch in
                    defer { batch.removeAll(keepingCapacity: true) }
                    return sender.receive(batch)
                }
            }
        }
    }

    /// Starts the thread that sends pushes.
    ///
    /// - Parameter tags: The key of the names under which devices keep pushes.
    func pushes(_ opened: OpenedDatabase, _ tags: PushTagKey) throws -> Worker<PushMessage>? {
        guard let mailbox = mail.push else { return nil }
        return try starting("pushes cannot be sent") {
            try Worker.start("push", emptying: mailbox, on: nil) {
                [configuration, directory, mail, metrics, log] loop in
                // Opened before the clients: if this fails, there is no client to close.
                let reader = try Storage.openReader(directory)
                let clients = try PushClients(
                    configuration.push, authorities: configuration.outboundAuthorities, on: loop)
                let sender = PushSender(
                    configuration.push, folder: configuration.data, reader: reader, clients: clients,
                    in: PushSurroundings(
                        mail: mail, epoch: opened.epoch, collections: opened.collections, rules: configuration.rules,
                        tags: tags, clock: configuration.clock, metrics: metrics, log: log),
                    isOnDuty: !configuration.cluster.isMember, on: loop)
                return { batch in
                    defer { batch.removeAll(keepingCapacity: true) }
                    return sender.receive(batch)
                }
            }
        }
    }

    /// - Parameter drained: Signalled when the loop has closed its last connection after a drain.
    func loop(_ number: Int, _ settings: LoopSettings, _ drained: DispatchSemaphore) throws -> Worker<LoopMessage> {
        try Worker.start("loop-\(number)", emptying: mail.loops[number], on: stage) { loop in
            let server = LoopServer(number: number, loop: loop, settings: settings)
            server.setDrained { drained.signal() }
            return { batch in
                server.receive(batch)
                batch.removeAll(keepingCapacity: true)
                return false
            }
        }
    }

    private static func client(_ configuration: ServerConfiguration, on loop: Loop) throws -> OutboundClient {
        try OutboundClient(
            on: loop, policy: AddressPolicy(allowing: configuration.outboundAllow),
            authorities: configuration.outboundAuthorities)
    }

    /// Runs a step of the start, and reports its failure as one of the database, with its folder.
    private func storing<Value>(_ failing: String, _ start: () throws -> Value) throws -> Value {
        let hint = FolderOwner.hint(configuration.data)
        return try starting("the database in \(configuration.data) \(failing)", hint: hint, start)
    }

    /// - Throws: `StartProblem`
    private func starting<Value>(
        _ failing: String, hint: String = "", _ start: () throws -> Value
    ) throws -> Value {
        do {
            return try start()
        } catch let problem as StartProblem {
            throw problem
        } catch {
            throw StartProblem(isConfiguration: false, "\(failing): \(error)\(hint)")
        }
    }
}
