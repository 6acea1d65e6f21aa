import Client
import EventLoop
import Synchronization

/// The connections of one loop, opened a few at a time.
///
/// - Confinement: loop
final class SocketGroup: LeanSocketOwner {
    /// The most connections that are being opened at once: the scenarios do not measure a storm of handshakes.
    private static let openingMax = 64
    /// The most connections from one source address, which has about 28,000 ports; two groups may run at the same time.
    private static let perAddressMax = 12_000

    private let loop: Loop
    private let target: LoadTarget
    private let role: Dialect.Role
    private let indices: [Int]
    private let board: ScoreBoard
    private(set) var sockets: [LeanSocket] = []
    private var readyCount = 0
    /// Called when all connections are ready.
    var onReady: (() -> Void)?
    /// Called with each message after the greeting.
    var onHeard: ((Heard, LeanSocket) -> Void)?

    /// - Parameter indices: The indices of this loop's connections among all of the scenario.
    init(on loop: Loop, _ target: LoadTarget, as role: Dialect.Role, indices: [Int], board: ScoreBoard) {
        self.loop = loop
        self.target = target
        self.role = role
        self.indices = indices
        self.board = board
    }

    /// Opens all connections.
    func connect() {
        guard !indices.isEmpty else {
            onReady?()
            return
        }
        for _ in 0..<min(Self.openingMax, indices.count) { openNext() }
    }

    private func openNext() {
        guard sockets.count < indices.count else { return }
        let index = indices[sockets.count]
        let socket = LeanSocket(index, as: role, to: target, owner: self)
        sockets.append(socket)
        do {
            try socket.connect(on: loop, from: Self.source(of: index))
        } catch {
            board.fail("connection \(index): \(error)")
        }
    }

    /// The source address of a connection: 127.0.0.1 for the first ones, 127.0.0.2 for as many more.
    static func source(of index: Int) throws -> SocketAddress? {
        guard index >= perAddressMax else { return nil }
        return try SocketAddress(host: "127.0.0.\(1 + index / perAddressMax)", port: 0)
    }

    func ready(_ socket: LeanSocket) {
        readyCount += 1
        board.connected.add(1, ordering: .relaxed)
        if readyCount == indices.count { onReady?() } else { openNext() }
    }

    func heard(_ heard: Heard, on socket: LeanSocket) {
        onHeard?(heard, socket)
    }

    func ended(_ socket: LeanSocket, because reason: String) {
        board.fail("connection \(socket.index): \(reason)")
    }
}

@available(*, unavailable)
extension SocketGroup: Sendable {}
