import JSON
import TestSupport
import Wire

/// A client: its bytes are in the socket when the server looks, and it reads what has arrived.
///
/// - Confinement: the one thread
final class Peer {
    let socket: TCPSocket
    private var connection = WebSocketConnection(role: .client, messageBytesMax: 1 << 20)

    init(_ house: House) throws { socket = try TCPSocket(port: house.port) }

    /// - Returns: false when nothing has arrived.
    /// - Throws: when it was not the upgrade.
    func takeUpgrade() throws -> Bool {
        guard let answer = try takeHTTP() else { return false }
        guard answer.hasPrefix("HTTP/1.1 101 ") else { throw Mistake(String(answer.prefix(300))) }
        return true
    }

    /// An HTTP answer, if one has arrived.
    func takeHTTP() throws -> String? {
        guard socket.isReadable(withinMilliseconds: 0) else { return nil }
        return String(decoding: try socket.receive(), as: UTF8.self)
    }

    /// The messages that have arrived.
    func take() throws -> [String] {
        var events: [WebSocketEvent] = []
        while socket.isReadable(withinMilliseconds: 0) {
            let bytes = try socket.receive()
            guard !bytes.isEmpty else { throw Mistake("the server has ended a connection") }
            connection.receive(bytes, into: &events)
        }
        return try events.map { event in
            guard case .text(let bytes) = event else { throw Mistake("\(event) came") }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The number of arrived messages of a type.
    func take(_ type: String) throws -> Int {
        try take().count { $0.contains(#""type":"\#(type)""#) }
    }

    /// Closes the connection without a close frame.
    func close() { socket.close() }

    /// Sends commands, all at once.
    func send(_ commands: [String]) throws {
        try socket.send(commands.flatMap { WebSocketPeer.frame($0) })
    }
}

/// An administrator, over HTTP.
///
/// - Confinement: the one thread
struct Administrator {
    private let peer: Peer
    private let house: House
    private let token: String

    init(_ house: House) throws {
        peer = try Peer(house)
        self.house = house
        token = try house.token("operator", isAdmin: true)
    }

    func send(_ method: String, _ target: String, _ body: JSONValue) throws {
        let body = body.text
        try peer.socket.send(
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// - Throws: unless an answer has arrived, at least in part, and it is a success.
    func takeAnswer() throws {
        guard let answer = try peer.takeHTTP() else { throw Mistake("no answer came") }
        guard answer.hasPrefix("HTTP/1.1 20") else { throw Mistake(String(answer.prefix(300))) }
        repeat { house.settle() } while try peer.takeHTTP() != nil
    }

    /// Sends a request and waits for the answer.
    func call(_ method: String, _ target: String, _ body: JSONValue) throws {
        try send(method, target, body)
        house.settle()
        try takeAnswer()
    }
}
