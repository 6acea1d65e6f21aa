import Fanout
import Model
import ThreadMessages

/// The connections of one loop, by slot. The slot of a closed connection is given to a later one; the generation in an
/// address tells the two apart.
///
/// - Confinement: loop
final class ConnectionTable {
    private let loop: Int
    private var connections: [ServerConnection?] = []
    private var freeSlots: [Slot] = []
    private var generation: UInt32 = 0
    /// Connections that are open.
    private(set) var count = 0

    /// - Parameter loop: the loop's number.
    init(loop: Int) { self.loop = loop }

    /// Adds a connection.
    ///
    /// - Parameter make: makes it for its address.
    func add(_ make: (ConnectionAddress) -> ServerConnection) -> ServerConnection {
        let slot: Slot
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = Slot(connections.count)
            connections.append(nil)
        }
        generation &+= 1
        let connection = make(ConnectionAddress(loop: loop, slot: slot, generation: generation))
        connections[Int(slot)] = connection
        count += 1
        return connection
    }

    /// A connection is closed.
    func remove(_ address: ConnectionAddress) {
        connections[Int(address.slot)] = nil
        count -= 1
        freeSlots.append(address.slot)
    }

    /// The connection at an address, if it is still that one.
    func connection(at address: ConnectionAddress) -> ServerConnection? {
        guard let connection = connections[Int(address.slot)], connection.address == address else { return nil }
        return connection
    }

    /// Runs `body` on the session at an address, if it is still there, and counts what its connection holds afterwards.
    func withSession(at address: ConnectionAddress, _ body: (ServerSession) -> Void) {
        connection(at: address)?.withSession(body)
    }

    /// The session in a slot.
    func session(in slot: Slot) -> ServerSession? { connections[Int(slot)]?.session }

    /// Runs `body` on the session in a slot.
    func withSession(in slot: Slot, _ body: (ServerSession) -> Void) {
        if let session = connections[Int(slot)]?.session { body(session) }
    }

    /// Runs `body` on every session of the loop.
    func forEachSession(_ body: (ServerSession) -> Void) {
        for connection in connections {
            if let session = connection?.session { body(session) }
        }
    }

    /// Runs `body` on every connection of the loop.
    func forEach(_ body: (ServerConnection) -> Void) {
        for connection in connections {
            if let connection { body(connection) }
        }
    }

    /// Ends the connections that hold most.
    ///
    /// - Parameter excess: the bytes that they have to release together.
    func endGreediest(excess: Int) {
        var excess = excess
        let greedy = connections.compactMap { $0 }.filter { $0.holdingBytes > Limits.smallHoldingBytes }
            .sorted { $0.holdingBytes > $1.holdingBytes }
        for connection in greedy where excess > 0 {
            excess -= connection.holdingBytes
            connection.overloaded()
        }
    }
}

@available(*, unavailable)
extension ConnectionTable: Sendable {}
