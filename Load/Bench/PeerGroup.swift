import Client
import EventLoop

/// The connections of one loop, opened a few at a time.
///
/// - Confinement: loop
final class PeerGroup: BenchPeerOwner {
    /// Connections under way at once: a handshake storm is not what is measured.
    private static let openingMax = 64
    /// Connections from one source address, which has about 28,000 ports.
    private static let perAddressMax = 25_000

    private let loop: Loop
    private let target: BenchTarget
    private let indices: [Int]
    private let board: ScoreBoard
    private(set) var peers: [BenchPeer] = []
    private var readyCount = 0
    /// Called when all are ready.
    var onReady: (() -> Void)?
    /// Called with each message after `hello`.
    var onMessage: (([UInt8], BenchPeer) -> Void)?

    /// - Parameter indices: of this loop's connections among all of the scenario.
    init(on loop: Loop, _ target: BenchTarget, indices: [Int], board: ScoreBoard) {
        self.loop = loop
        self.target = target
        self.indices = indices
        self.board = board
    }

    func connect() {
        guard !indices.isEmpty else {
            onReady?()
            return
        }
        for _ in 0..<min(Self.openingMax, indices.count) { openNext() }
    }

    private func openNext() {
        guard peers.count < indices.count else { return }
        let index = indices[peers.count]
        let peer = BenchPeer(index, token: target.token?(index), owner: self)
        peers.append(peer)
        do {
            var endpoint = WebSocketClient.Endpoint(server: target.server, target: target.path)
            if index >= Self.perAddressMax {
                endpoint.localAddress = try SocketAddress(
                    host: "127.0.0.\(1 + index / Self.perAddressMax)",
                    port: 0
                )
            }
            peer.attach(try WebSocketClient.connect(on: loop, to: endpoint, delegate: peer))
        } catch {
            board.fail("connection \(index): \(error)")
        }
    }

    func ready(_ peer: BenchPeer) {
        readyCount += 1
        if readyCount == indices.count {
            onReady?()
        } else {
            openNext()
        }
    }

    func received(_ message: [UInt8], on peer: BenchPeer) {
        onMessage?(message, peer)
    }

    func ended(_ peer: BenchPeer, because reason: String) {
        board.fail("connection \(peer.index): \(reason)")
    }
}

/// Where the connections of a scenario go.
struct BenchTarget: Sendable {
    let server: ServerAddress
    let path: String
    /// The token of a connection; nil where no `hello` is wanted.
    let token: (@Sendable (Int) -> String)?
}

@available(*, unavailable)
extension PeerGroup: Sendable {}
