import Admin
import Authentication
import Cluster
import Configuration
import EventLoop
import Foundation
import JSON
import Model
import Quotas
import Searching
import Services
import Store
import Synchronization
import Telemetry
import TestSupport
import ThreadMessages
@testable import Gateway
@testable import Server

/// One of several nodes of a test: the real loops, a reader and a writer on a database of its own, which no journal keeps
/// equal with the others, and a ``SignalDriver``.
///
/// - Confinement: one thread at a time
final class SignalNode {
    let mail: Mailboxes
    let port: UInt16
    private let secret: ServerSecret
    private let clock: WallClock
    private let directory: DataDirectory
    private let writer: Worker<WriterMessage>
    private let reader: Worker<ReaderMessage>
    private let loops: [Worker<LoopMessage>]
    private let drained: DispatchSemaphore
    private let signals: LoopThread
    private var hasStopped = false

    init(
        _ name: String, in folder: TemporaryFolder, on net: SignalNet,
        _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ServerConfiguration()
        configuration.listen = ["127.0.0.1:0"]
        configuration.data = folder.path
        configuration.logLevel = .silent
        configuration.triggers = [.ready(.filmNetwork)]
        configure(&configuration)
        clock = configuration.clock
        let log = ServerLog(minimum: .silent, clock: clock)
        let opening = try ServerFolder(configuration.data, log)
        (directory, secret) = (opening.directory, opening.secret)
        var member = configuration
        member.cluster.journal = ["nats://127.0.0.1:4222"]
        let peers = PeerPolicy(member)
        let metrics = Metrics(peerMemory: peers.memory)
        mail = Mailboxes(loops: 2, readers: 1, reachesOutside: true, hasIssuers: false, isMember: true)
        let start = ThreadStart(
            configuration: configuration, directory: directory, index: SearchFile(in: directory), mail: mail,
            metrics: metrics, log: log,
            storage: StorageHealth(), watchedPaths: WatchedPaths(), stage: nil)
        let opened: OpenedDatabase
        (writer, opened) = try start.writer(tellingCommitsTo: mail.loops)
        reader = try start.reader(0, opened, peers.memory)
        let wanted = try ListenerStart.resolve(configuration.listen)
        let verifier = TokenVerifier(secret: secret, audience: nil, issuers: [])
        let settings = LoopSettings(
            configuration: configuration, mail: mail, opened: opened,
            tokens: TokenCheck(verifier, wantedMilliseconds: configuration.keyPace.wantedMilliseconds),
            metrics: metrics, log: log, storage: start.storage, watchedPaths: start.watchedPaths, feeds: nil,
            names: ServerNames(listeners: wanted, origins: configuration.origins), encryption: nil, peers: peers,
            pushOffer: try PushStart.offer(configuration, log), push: mail.push, pages: nil)
        let drained = DispatchSemaphore(value: 0)
        self.drained = drained
        loops = try mail.loops.indices.map { try start.loop($0, settings, drained) }
        port =
            UInt16(
                try ListenerStart(loops: mail.loops, stage: nil).listen(on: wanted)[0].description.split(separator: ":")
                    .last ?? "")
            ?? 0
        signals = try Self.startSignals(name, net, mail, peers.sessionsElsewhere, metrics, clock)
    }

    private static func startSignals(
        _ name: String, _ net: SignalNet, _ mail: Mailboxes, _ elsewhere: SessionsElsewhere?, _ metrics: Metrics,
        _ clock: WallClock
    ) throws -> LoopThread {
        let heard = Mailbox<[UInt8]>()
        let thread = try LoopThread.start(named: "signals-\(name)") { loop in
            let relay = SignalRelay(
                node: name, boot: clock.now(), mail: mail, elsewhere: elsewhere, metrics: metrics, clock: clock)
            let driver = SignalDriver(relay, of: name, on: net, loop)
            try mail.cluster?.open(
                taking: { batch in
                    driver.receive(batch)
                    batch.removeAll(keepingCapacity: true)
                }, on: loop)
            try heard.open(
                taking: { batch in
                    driver.hear(batch)
                    batch.removeAll(keepingCapacity: true)
                }, on: loop)
        }
        net.join(name, heard)
        return thread
    }

    /// A session that is live.
    func device(_ user: String, _ device: String) throws -> Device {
        let session = try connect()
        try session.hello(token: token(user), device: device)
        _ = try session.event("live")
        return session
    }

    /// A connection without a hello.
    func connect() throws -> Device { Device(try WebSocketPeer(port: port, headers: [], receiveBufferBytes: nil)) }

    func token(_ user: String) throws -> String {
        guard let subject = UserID(user) else { throw TCPSocket.Failure(description: "\(user) is no user") }
        let claims = Claims(subject: subject, expiresAt: clock.now().adding(milliseconds: 3_600_000))
        return JSONWebToken.sign(claims, issuedAt: clock.now(), with: secret)
    }

    /// Ends as a server that is asked to: its sessions end, and the other nodes hear of it.
    func stop() {
        guard !hasStopped else { return }
        hasStopped = true
        for loop in loops { loop.tell(.drain) }
        for _ in loops { _ = drained.wait(timeout: .now() + 5) }
        mail.cluster?.post(.prepareToStop)
        writer.tell(.stop)
        reader.tell(.stop)
        reader.join()
        writer.join()
        for loop in loops { loop.cut() }
        for loop in loops { loop.join() }
        signals.stop()
        signals.join()
    }
}
