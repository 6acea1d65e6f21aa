import ClientProtocol
import EventLoop
import Execution
import Fanout
import Foundation
import Glibc
import Journal
import Model
import PersonalData
import Privacy
import Quotas
import Services
import Store
import StoreTestSupport
import Synchronization
import Telemetry
import TestSupport
import ThreadMessages

@testable import StoreThread

/// The writer's thread of a node with its real database and its real mailboxes; the test is the loop of its sessions and the
/// thread that connects it with the others.
final class TestNode: Sendable {
    /// Something that a loop got.
    enum Seen: Hashable {
        case event(String)
        /// The answer to the write with this number.
        case answer(Int, String, version: Int64?)
        case refusal(Int, Refusal)
    }

    let name: String
    let directory: DataDirectory
    let mail: Mailboxes
    let storage = StorageHealth()
    let metrics = Metrics(peerMemory: PeerMemory(bytesMax: 64 << 20))
    private let folder = TemporaryFolder()
    private let seenByLoop = Mutex<[Seen]>([])
    private let threads = Mutex<[LoopThread]>([])

    /// - Parameters:
    ///   - founder: whose database is copied; nil for a new one.
    ///   - ledger: the folder whose ledger of erasures is copied; nil for none.
    ///   - ledMilliseconds: how long after an entry it gives answers that no entry carries; long, so that a busy machine
    ///     changes nothing.
    ///   - searches: whether there is an index of messages, played by the test.
    ///   - takes: gets what the writer says to the cluster's thread, on a thread of its own; nil for a node that is alone.
    init(
        _ name: String, copying founder: DataDirectory? = nil, ledgerOf ledger: DataDirectory? = nil,
        waitMilliseconds: Int64 = 10_000, ledMilliseconds: Int64 = 600_000, searches: Bool = false,
        cluster takes: (@Sendable (ClusterMessage) -> Void)? = nil
    ) throws {
        self.name = name
        directory = try DataDirectory(folder.path)
        if let founder { try NodeFolders.copy(founder, to: directory) }
        if let ledger {
            try FileManager.default.copyItem(atPath: ledger.path + "/erasures", toPath: directory.path + "/erasures")
        }
        mail = Mailboxes(
            loops: 1, readers: 1, reachesOutside: false, hasIssuers: false, searches: searches, isMember: takes != nil)
        var member: WriterMember?
        if takes != nil {
            member = WriterMember(node: name, first: FirstWrites(triggers: [], preferences: nil))
            member?.waitMilliseconds = waitMilliseconds
            member?.ledMilliseconds = ledMilliseconds
            member?.lookMilliseconds = min(1000, waitMilliseconds / 4)
        }
        let loops = try LoopThread.start(named: "loop") { [mail, self] loop in
            try mail.loops[0].open(taking: { [unowned self] in see(&$0) }, on: loop)
        }
        threads.withLock { $0.append(loops) }
        if let takes, let cluster = mail.cluster {
            let thread = try LoopThread.start(named: "cluster") { loop in
                try cluster.open(
                    taking: { batch in
                        for message in batch { takes(message) }
                        batch.removeAll(keepingCapacity: true)
                    }, on: loop)
            }
            threads.withLock { $0.append(thread) }
        }
        let backups = try LoopThread.start(named: "backups") { [mail, directory, metrics] loop in
            let thread = try BackupThread(
                directory, check: DatabaseCheck(directory), mail: mail, metrics: metrics,
                log: ServerLog(minimum: .silent), on: loop)
            try mail.backups.open(
                taking: { batch in
                    _ = thread.receive(batch)
                    batch.removeAll(keepingCapacity: true)
                }, on: loop)
        }
        threads.withLock { $0.append(backups) }
        let writer = try LoopThread.start(named: "writer") { [mail, directory, metrics, storage, member] loop in
            let writer = try Storage.openWriter(directory, isMember: member != nil)
            let thread = WriterThread(
                writer: writer, stateMachine: try StateMachine(triggerRows: [], collections: TopicCollections()),
                trimming: TrimLog(RetentionTimes(log: 86_400_000)), watched: WatchedPaths(), mail: mail,
                tellingCommitsTo: mail.loops, clock: Self.clock, metrics: metrics, storage: storage,
                log: ServerLog(minimum: .silent), writeBytesAnHour: 1 << 30, member: member,
                ledger: ErasureLedger(of: directory), on: loop)
            try mail.writer.open(
                taking: { [unowned loop] batch in
                    let messages = batch
                    batch.removeAll(keepingCapacity: true)
                    if thread.receive(messages) { loop.stop() }
                }, on: loop)
        }
        threads.withLock { $0.insert(writer, at: 0) }
    }

    /// A database that has begun an epoch, as `watchwise cluster init` leaves it.
    static func founder() throws -> (TemporaryFolder, DataDirectory) {
        let folder = TemporaryFolder()
        let directory = try DataDirectory(folder.path)
        try Storage.openWriter(directory).close()
        return (folder, directory)
    }

    /// Hands a write to the writer, as a loop does; its answer comes with its number.
    func write(_ line: Line) {
        let address = ConnectionAddress(loop: 0, slot: 1, generation: 1)
        guard let name = UserID("tester") else { return }
        metrics.writesPending.add(1)
        metrics.peerMemory.wait(Limits.orderBytes, for: nil)
        mail.writer.post(
            .write(
                WriteOrder(
                    address: address, ticket: .write(RequestID(Int64(line.number))),
                    request: WriteRequest(actor: .administrator(name), at: Self.now, useCase: line),
                    source: mail.cluster == nil ? nil : line.source, bytes: Limits.orderBytes)))
    }

    /// Commits an erasure on a node that leads.
    func erase(_ user: UserID, _ chance: ErasureChance) {
        let erasure = EraseUser(user, .redact, documents: [], chance: chance, key: nil)
        metrics.writesPending.add(1)
        metrics.peerMemory.wait(Limits.orderBytes, for: nil)
        mail.writer.post(
            .write(
                WriteOrder(
                    address: nil, ticket: .none, request: WriteRequest(actor: .server, at: Self.now, useCase: erasure),
                    bytes: Limits.orderBytes)))
    }

    /// Takes a write that another node has handed on, as the leader's loop does.
    func take(_ command: HandedCommand, from node: String, term: UInt64) {
        guard let line = Line(command.work) else { return }
        metrics.writesPending.add(1)
        metrics.peerMemory.wait(Limits.orderBytes, for: nil)
        let origin = HandedOrigin(node: node, ticket: command.ticket, term: term)
        mail.writer.post(
            .write(
                WriteOrder(
                    address: nil, ticket: .none,
                    request: WriteRequest(actor: command.actor, at: command.at, useCase: line), source: command.work,
                    origin: origin, bytes: Limits.orderBytes)))
    }

    static let now = Timestamp(milliseconds: 1_795_000_000_000)
    /// A clock that is not believed, so that nothing is trimmed: a test would have to wait for that entry.
    private static let clock = WallClock(now: { now }, heldMilliseconds: { 1000 })

    /// All that the loop has got so far.
    var seen: [Seen] { seenByLoop.withLock { $0 } }

    /// Ends the threads, the writer first.
    func stop() {
        mail.writer.post(.stop)
        let ended = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        ended.first?.join()
        for thread in ended.dropFirst() {
            thread.stop()
            thread.join()
        }
    }

    private func see(_ batch: inout [LoopMessage]) {
        var seen: [Seen] = []
        for message in batch {
            switch message {
            case .committed(let steps, _, _, _, let heavy, _):
                for step in steps { Self.note(step, in: &seen) }
                heavy?.deliveredByOne()
            case .outcome(_, let ticket, let outcome): seen.append(Self.seen(ticket, outcome))
            default: break
            }
        }
        batch.removeAll(keepingCapacity: true)
        seenByLoop.withLock { $0 += seen }
    }

    private static func note(_ step: LoopStep, in seen: inout [Seen]) {
        switch step {
        case .run(let run, let between):
            for (place, publication) in run.publications.enumerated() {
                for other in between where other.place == place { note(other.step, in: &seen) }
                seen.append(event(publication))
            }
            for other in between where other.place >= run.publications.count { note(other.step, in: &seen) }
        case .publication(let publication): seen.append(event(publication))
        case .outcome(_, let ticket, let outcome): seen.append(Self.seen(ticket, outcome))
        case .change: break
        }
    }

    private static func event(_ publication: FramedPublication) -> Seen {
        .event(String(decoding: publication.publication.payload[nil], as: UTF8.self))
    }

    private static func seen(_ ticket: Ticket, _ outcome: Outcome) -> Seen {
        guard case .write(let id) = ticket, let number = Int(id?.json ?? "") else { return .event("no number") }
        switch outcome {
        case .success(let answer):
            var version: Int64?
            if case .version(let number) = answer.fact { version = number }
            return .answer(number, String(decoding: answer.body, as: UTF8.self), version: version)
        case .failure(let refusal): return .refusal(number, refusal)
        }
    }
}

/// Waits until something is so, at most a minute.
func eventually(_ isSo: () throws -> Bool) rethrows -> Bool {
    // The bound is for a node that hangs: a busy machine may need seconds.
    for _ in 0..<30_000 {
        if try isSo() { return true }
        usleep(2000)
    }
    return try isSo()
}
