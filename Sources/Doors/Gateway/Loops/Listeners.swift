import EventLoop
import Model
import Quotas
import Synchronization
import Telemetry
import ThreadMessages

/// Where one loop accepts connections, and which of them it turns away at once.
///
/// - Confinement: loop
final class Listeners {
    private let number: Int
    private let loop: Loop
    private let settings: LoopSettings
    private let encryption: LoopEncryption
    private let begin: (TCPConnection, IPAddress, AddressAccount?, _ isAtFigures: Bool) -> Void
    private let refusedPeers = RefusedPeer.Count()
    private var listeners: [TCPListener] = []

    /// - Parameters:
    ///   - number: of the loop.
    ///   - begin: takes a connection, the other end of its socket, and the account of its network, for which it is
    ///     counted, nil for a trusted proxy; and whether it came by a door for the figures alone.
    init(
        ofLoop number: Int, _ loop: Loop, _ settings: LoopSettings, _ encryption: LoopEncryption,
        begin: @escaping (TCPConnection, IPAddress, AddressAccount?, _ isAtFigures: Bool) -> Void
    ) {
        self.number = number
        self.loop = loop
        self.settings = settings
        self.encryption = encryption
        self.begin = begin
    }

    /// Begins to accept on an address, sharing its port with the other loops.
    ///
    /// - Parameter isForFigures: whether nothing but the figures is served there.
    /// - Returns: the address with the port that the kernel chose.
    func listen(on address: SocketAddress, isForFigures: Bool) throws(UVError) -> SocketAddress {
        // The loops share the port; another server must not.
        if number == 0 { try TCPListener.checkFree(address) }
        let listener = try TCPListener(on: loop, address: address, reusePort: true) { [unowned self] connection in
            accept(connection, isAtFigures: isForFigures)
        }
        listeners.append(listener)
        return listener.address
    }

    private func accept(_ tcp: TCPConnection, isAtFigures: Bool) {
        let peers = settings.peers
        let peer = IPAddress(tcp.peerAddress)
        let isProxy = peers.trustedProxies.contains(peer)
        guard settings.metrics.connections.now < peers.connectionsMax.load(ordering: .relaxed)
        else {
            settings.refused(.descriptors, peer)
            return tcp.close()
        }
        let network = isProxy ? nil : peers.addresses.take(peer.network)
        guard isProxy || network != nil else {
            settings.refused(.address, peer)
            return RefusedPeer.turnAway(
                tcp, refusedPeers, at: settings.clock.now(), mayAnswer: encryption.context == nil)
        }
        begin(tcp, peer, network, isAtFigures)
    }

    /// The server stops: accepts nothing more.
    func close() {
        for listener in listeners { listener.close() }
        listeners = []
    }
}

@available(*, unavailable)
extension Listeners: Sendable {}
