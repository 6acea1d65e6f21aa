import Authentication
import Configuration
import Counting
import EventLoop
import Model
import Server
import Telemetry
import TestSupport

/// A whole server with its real sockets and its real database, whose threads are turned by hand: so the work of one
/// thread in one turn can be counted alone, and nothing else happens meanwhile.
///
/// - Confinement: the one thread
final class House {
    let port: UInt16
    private let folder = TemporaryFolder()
    private let stage = LoopStage()
    private let application: Application
    private let clients: Int

    /// - Parameters:
    ///   - loops: The number of loops that serve clients.
    ///   - isFilmNetwork: Whether it has the triggers of the film network; otherwise none.
    init(loops: Int = 1, isFilmNetwork: Bool = false) throws {
        var configuration = ServerConfiguration()
        configuration.listen = ["127.0.0.1:0"]
        configuration.data = folder.path
        configuration.loops = loops
        configuration.triggers = isFilmNetwork ? [.ready(.filmNetwork)] : []
        configuration.logLevel = .error
        configuration.connectionsPerAddress = 100_000
        // Everything is slow under callgrind, and no client must be disconnected for that.
        configuration.helloMilliseconds = 3_600_000
        configuration.requestMilliseconds = 3_600_000
        configuration.heartbeatMilliseconds = 3_600_000
        configuration.clock = WallClock { Samples.now }
        application = try Application(configuration, on: stage)
        clients = loops
        guard let port = application.addresses.first?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Mistake("the server listens nowhere: \(application.addresses)")
        }
        self.port = port
    }

    /// Ends it; without this, its loops would trap.
    func close() { stage.abandon() }

    /// A thread of the server, in the order of their making.
    enum Room {
        case writer, reader
        /// A loop that serves clients.
        case loop(Int)
    }

    /// Gives a thread a turn, and another one in which its writes leave.
    func turn(_ room: Room) {
        let loop =
            switch room {
            case .writer: stage.loops[0]
            case .reader: stage.loops[1]
            case .loop(let number): stage.loops[stage.loops.count - clients + number]
            }
        stage.turn(loop)
        stage.turn(loop)
    }

    /// Gives the loop of the clients and the writer turns, as on a machine where neither waits for the other: so often that what
    /// clients have sent is written, committed and delivered, also in several commits. A millisecond passes before each turn of
    /// the writer, which pauses as long between two commits.
    func work() {
        for _ in 0..<8 { turn(.loop(0)) }
        for _ in 0..<8 {
            clock_advance(1)
            turn(.writer)
        }
        for _ in 0..<8 { turn(.loop(0)) }
    }

    /// Lets a little time pass, and gives all threads turns until no work is left. Work that is done once a second is
    /// done here, and never in a counted turn.
    func settle() {
        clock_advance(200)
        for _ in 0..<3 { stage.settle() }
    }

    /// A token, of an administrator or a user.
    func token(_ name: String, isAdmin: Bool = false) throws -> String {
        let claims = Claims(
            subject: try Samples.user(name), scopes: isAdmin ? [Claims.adminScope] : [],
            expiresAt: Samples.now.adding(milliseconds: 86_400_000))
        return JSONWebToken.sign(claims, issuedAt: Samples.now, with: application.secret)
    }

    /// Connects a WebSocket that a certain loop serves.
    ///
    /// The kernel chooses the loop by the client's port, so this tries until it is the wanted one.
    func connect(to loop: Int = 0) throws -> Peer {
        for _ in 0..<200 {
            let peer = try Peer(self)
            try peer.socket.send(WebSocketPeer.upgrade("/v1/ws"))
            for _ in 0..<3 { turn(.loop(loop)) }
            if try peer.takeUpgrade() { return peer }
            peer.close()
            // The time does not advance here, because the number of tries is random.
            stage.settle()
        }
        throw Mistake("loop \(loop) takes no connection")
    }

    /// Connects a device of a user and waits until it is live.
    func open(_ user: String, device: String = "phone", to loop: Int = 0) throws -> Peer {
        let peer = try connect(to: loop)
        try peer.socket.send(WebSocketPeer.frame(hello(user, device: device)))
        settle()
        guard try peer.take().contains(where: { $0.contains(#""type":"live""#) }) else {
            throw Mistake("\(user) is not live")
        }
        return peer
    }

    /// Connects one device of each user, all at once.
    func open(_ users: [String]) throws -> [Peer] {
        let peers = try users.map { _ in try Peer(self) }
        for peer in peers { try peer.socket.send(WebSocketPeer.upgrade("/v1/ws")) }
        // A listener accepts 64 in a turn.
        for _ in 0...users.count / 64 { settle() }
        for (user, peer) in zip(users, peers) {
            guard try peer.takeUpgrade() else { throw Mistake("\(user) is not connected") }
            try peer.socket.send(WebSocketPeer.frame(hello(user)))
        }
        // A loop begins 32 at a time.
        for _ in 0...users.count / 32 { settle() }
        for peer in peers where try !peer.take().contains(where: { $0.contains(#""type":"live""#) }) {
            throw Mistake("not all are live")
        }
        return peers
    }

    /// The first command of a device.
    ///
    /// - Parameter since: The epoch and the position after which it misses events.
    func hello(_ user: String, device: String = "phone", since: (epoch: String, seq: Int64)? = nil) throws -> String {
        let since = since.map { #","since":{"epoch":"\#($0.epoch)","seq":\#($0.seq)}"# } ?? ""
        return #"{"id":1,"type":"hello","token":"\#(try token(user))","device":"\#(device)"\#(since)}"#
    }
}
