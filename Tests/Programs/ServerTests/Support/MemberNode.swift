import Admin
import Authentication
import Configuration
import EventLoop
import Feeds
import Foundation
import Gateway
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
@testable import Server

/// One loop of a node that has others beside it, with a writer and a reader of its own, and real sockets.
///
/// The loop's mailboxes are not those of the writer and the reader: relays stand between them, so that a test sees what the
/// loop hands over, and may keep the commits back, as though the node lagged.
/// - Confinement: any
final class MemberNode: Sendable {
    /// The mailboxes of the loop, and of the other threads.
    let mail: Mailboxes
    let port: UInt16
    let secret: ServerSecret
    let standing = NodeStanding()
    /// The orders that the loop has submitted to the writer, in order.
    let orders = Taken<WriteOrder>()
    /// The loop's messages to the thread that knows the other nodes.
    let cluster = Taken<ClusterMessage>()
    private let folder: TemporaryFolder
    private let commits: HeldBack<LoopMessage>
    private let writes: HeldBack<WriterMessage>
    private let stops: [@Sendable () -> Void]
    private static let numbers = Atomic<Int>(0)

    /// - Parameters:
    ///   - secret: of all nodes.
    ///   - isMember: false for a node that is alone, to compare.
    ///   - other: a node whose key for Web Push this one has, too, as the nodes of a cluster do.
    init(secret: ServerSecret, isMember: Bool = true, beside other: MemberNode? = nil) throws {
        var configuration = ServerConfiguration()
        let folder = TemporaryFolder()
        configuration.data = folder.path
        configuration.logLevel = .silent
        configuration.triggers = [.ready(.filmNetwork)]
        configuration.push.contact = "mailto:admin@example.org"
        self.folder = folder
        self.secret = secret
        let log = ServerLog(minimum: configuration.logLevel)
        let directory = try ServerFolder(folder.path, log).directory
        if let other {
            try FileManager.default.copyItem(
                atPath: other.folder.path + "/vapid-key", toPath: configuration.vapidKeyPath)
        }
        let peers = PeerPolicy(configuration)
        let (metrics, watched) = (Metrics(peerMemory: peers.memory), WatchedPaths())
        let back = Mailboxes(loops: 1, readers: 1, reachesOutside: false, hasIssuers: false)
        let front = Mailboxes(loops: 1, readers: 1, reachesOutside: false, hasIssuers: false, isMember: isMember)
        mail = front
        func threads(_ configuration: ServerConfiguration, _ mail: Mailboxes) -> ThreadStart {
            ThreadStart(
                configuration: configuration, directory: directory, index: SearchFile(in: directory), mail: mail,
                metrics: metrics, log: log,
                storage: StorageHealth(), watchedPaths: watched, stage: nil)
        }
        let start = threads(configuration, back)
        let (writer, opened) = try start.writer(tellingCommitsTo: back.loops)
        let reader = try start.reader(0, opened, peers.memory)

        let commits = HeldBack(front.loops[0]) { if case .committed = $0 { true } else { false } }
        let writes = HeldBack(back.writer) { _ in true }
        (self.commits, self.writes) = (commits, writes)
        let (orders, cluster) = (orders, cluster)
        let toWriter = try Self.relay("orders", front.writer) { message in
            if case .write(let order) = message { orders.note(order) }
            writes.pass(message)
        }
        let toReader = try Self.relay("reads", front.readers[0]) { back.readers[0].post($0) }
        let toLoop = try Self.relay("commits", back.loops[0]) { commits.pass($0) }
        let toCluster = try front.cluster.map { try Self.relay("cluster", $0) { cluster.note($0) } }

        if isMember { configuration.cluster.journal = ["nats://127.0.0.1:4222"] }
        let settings = LoopSettings(
            configuration: configuration, mail: front, opened: opened,
            tokens: TokenCheck(TokenVerifier(secret: secret), wantedMilliseconds: 1000), metrics: metrics, log: log,
            storage: StorageHealth(), watchedPaths: watched,
            feeds: FeedDesk(mailbox: Mailbox(), board: FeedBoard(), configured: [], withKey: []),
            names: ServerNames(listeners: [], origins: configuration.origins), encryption: nil, peers: peers,
            pushOffer: try PushStart.offer(configuration, log), push: nil, pages: nil, standing: standing)
        let drained = DispatchSemaphore(value: 0)
        let loop = try threads(configuration, front).loop(0, settings, drained)
        let addresses = try ListenerStart(loops: front.loops, stage: nil).listen(on: [SocketAddress("127.0.0.1:0")])
        port = UInt16(addresses.first?.description.split(separator: ":").last ?? "") ?? 0
        stops = [
            { loop.tell(.drain) }, { _ = drained.wait(timeout: .now() + 5) }, { loop.cut() }, { loop.join() },
            { writer.tell(.stop) }, { writer.join() }, { reader.tell(.stop) }, { reader.join() }, toWriter, toReader,
            toLoop, { toCluster?() },
        ]
    }

    /// Starts a thread that takes each message of a mailbox.
    /// - Returns: what ends it.
    private static func relay<Message: Sendable>(
        _ name: String, _ mailbox: Mailbox<Message>, _ take: @escaping @Sendable (Message) -> Void
    ) throws -> @Sendable () -> Void {
        let worker = try Worker.start(name, emptying: mailbox, on: nil) { _ in
            { batch in
                for message in batch { take(message) }
                batch.removeAll(keepingCapacity: true)
                return false
            }
        }
        return {
            worker.cut()
            worker.join()
        }
    }

    func stop() { for stop in stops { stop() } }

    /// The commits stay away from the loop until ``letCommitsCome()``.
    func holdCommits() { commits.hold() }
    func letCommitsCome() { commits.release() }

    /// Writes stay away from the writer until ``letWritesGo()``, as though no node led.
    func holdWrites() { writes.hold() }
    func letWritesGo() { writes.release() }

    /// Another node hands these on.
    func take(_ commands: [HandedCommand], from node: String = "b") {
        mail.loops[0].post(.handed(commands, from: node, term: 1))
    }

    // MARK: Clients

    /// A name that no other test has.
    func name(_ stem: String) -> String { "\(stem)-\(Self.numbers.add(1, ordering: .relaxed).newValue)" }

    func token(
        _ user: String, isAdmin: Bool = false, jti: String? = nil, roles: Set<RoleName> = [], scopes: Set<String> = []
    ) throws -> String {
        guard let subject = UserID(user) else { throw TCPSocket.Failure(description: "\(user) is no user") }
        let now = WallClock.system.now()
        let claims = Claims(
            subject: subject, scopes: isAdmin ? scopes.union([Claims.adminScope]) : scopes, roles: roles,
            expiresAt: now.adding(milliseconds: 3_600_000), tokenID: jti)
        return JSONWebToken.sign(claims, issuedAt: now, with: secret)
    }

    /// A session that is live.
    func device(_ user: String, _ device: String? = nil, since: JSONValue? = nil) throws -> Device {
        let session = Device(try WebSocketPeer(port: port))
        try session.hello(token: token(user), device: device, since: since)
        _ = try session.event("live")
        return session
    }

    func admin() throws -> Admin { Admin(try HTTPPeer(port: port), token: try token("operator", isAdmin: true)) }
}

/// The things that a thread has taken, for a test that waits for them.
/// - Confinement: any
final class Taken<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func note(_ element: Element) { elements.withLock { $0.append(element) } }

    var all: [Element] { elements.withLock { $0 } }

    /// Waits until there are more than `count`, and returns the element with that number.
    func element(_ count: Int) throws -> Element {
        for _ in 0..<5000 {
            let all = all
            if all.count > count { return all[count] }
            Thread.pause(milliseconds: 2)
        }
        throw TCPSocket.Failure(description: "nothing came after \(all.count) elements")
    }
}

/// Passes messages to a mailbox, and keeps some of them back while it is asked to.
/// - Confinement: any
final class HeldBack<Message: Sendable>: Sendable {
    private let mailbox: Mailbox<Message>
    private let isKept: @Sendable (Message) -> Bool
    private let held = Mutex<[Message]?>(nil)

    /// - Parameter isKept: whether a message may be kept back.
    init(_ mailbox: Mailbox<Message>, isKept: @escaping @Sendable (Message) -> Bool) {
        self.mailbox = mailbox
        self.isKept = isKept
    }

    func hold() { held.withLock { $0 = $0 ?? [] } }

    func release() {
        held.withLock { held in
            for message in held ?? [] { mailbox.post(message) }
            held = nil
        }
    }

    func pass(_ message: Message) {
        held.withLock { held in
            if held != nil, isKept(message) { held?.append(message) } else { mailbox.post(message) }
        }
    }
}
