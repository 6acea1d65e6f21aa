import Client
import EventLoop
import Wire

/// The owner of a scenario's connections.
/// - Confinement: loop
protocol LeanSocketOwner: AnyObject {
    /// The connection is open, and its greeting, if there is one, was answered.
    func ready(_ socket: LeanSocket)
    func heard(_ heard: Heard, on socket: LeanSocket)
    func ended(_ socket: LeanSocket, because reason: String)
}

/// One WebSocket of a scenario. It does as little work for each message as possible, because the server is to be
/// measured. It trusts the server to follow the protocol, which other tests check.
///
/// - Confinement: loop
final class LeanSocket: TCPConnectionDelegate {
    /// Its index among all connections of the scenario.
    let index: Int
    let role: Dialect.Role
    private let target: LoadTarget
    private var connection: TCPConnection?
    private unowned let owner: any LeanSocketOwner
    private var scanner = FrameScanner()
    private var stream = BrokerStream()
    private var answer: [UInt8]? = []
    private var isReady = false
    private var hint = 0

    private static let headerEnd = Array("\r\n\r\n".utf8)
    /// The key does not change the server's work; a random key for each frame would only slow this program.
    private static let maskingKey: UInt32 = 0x3C5A_71E9

    init(_ index: Int, as role: Dialect.Role, to target: LoadTarget, owner: any LeanSocketOwner) {
        self.index = index
        self.role = role
        self.target = target
        self.owner = owner
    }

    /// - Throws: when there is no file descriptor left, or the local address cannot be used.
    func connect(on loop: Loop, from address: SocketAddress?) throws(UVError) {
        let made = try TCPConnection.connect(
            on: loop, to: target.server.socketAddress, from: address, delegate: self)
        try target.server.encryption?.cover(made)
        connection = made
    }

    /// Sends one message as it is.
    func send(_ message: [UInt8]) {
        frame(target.dialect.isText ? .text : .binary, message)
    }

    /// Sends a message that brings a payload to the receivers of the role.
    func publish(_ payload: [UInt8]) {
        send(target.dialect.publication(payload, role, index: index))
    }

    func close() {
        connection?.close()
    }

    private func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        var frame: [UInt8] = []
        frame.reserveCapacity(payload.count + 14)
        FrameEncoder.append(opcode, payload, maskingKey: Self.maskingKey, to: &frame)
        connection?.write(frame)
    }

    func connected(on connection: TCPConnection) {
        let (path, subprotocol) = target.dialect.endpoint(role)
        var request = "GET \(path) HTTP/1.1\r\nHost: \(target.server.authority)\r\nUpgrade: websocket\r\n"
        request += "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        request += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        if let subprotocol { request += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        connection.write(Array((request + "\r\n").utf8))
    }

    func received(_ bytes: RawSpan, on connection: TCPConnection) {
        guard answer == nil else { return receiveAnswer(bytes) }
        scanner.receive(bytes) { found, payload in take(found, payload) }
    }

    func drained(on connection: TCPConnection) {}

    func closed(on connection: TCPConnection, error: UVError?) {
        self.connection = nil
        owner.ended(self, because: error?.message ?? "the connection ended")
    }

    private func receiveAnswer(_ bytes: RawSpan) {
        answer?.append(copying: bytes)
        guard let answer, let end = answer.firstRange(of: Self.headerEnd)?.upperBound else { return }
        guard answer.starts(with: Array("HTTP/1.1 101".utf8)) else {
            let line = String(decoding: answer.prefix { $0 != 13 }, as: UTF8.self)
            owner.ended(self, because: "the upgrade was answered with '\(line)'")
            return close()
        }
        self.answer = nil
        if let greeting = target.dialect.greeting(role, index: index, token: target.token?(index)) {
            send(greeting)
        } else {
            becomeReady()
        }
        let rest = Array(answer[end...])
        rest.withRawSpan { rest in scanner.receive(rest) { found, payload in take(found, payload) } }
    }

    private func take(_ found: FrameScanner.Found, _ payload: RawSpan) {
        switch found {
        case .data:
            switch target.dialect {
            case .watchwise where role != .echo: note(.watchwise(payload, hint: &hint), payload)
            case .watchwise, .plain: owner.heard(.delivery(Marker.find(in: payload, hint: &hint)), on: self)
            case .nats, .mqtt:
                var found: [Heard] = []
                stream.receive(payload, as: target.dialect) { found.append($0) }
                for heard in found { note(heard, payload) }
            }
        case .ping:
            var echo: [UInt8] = []
            echo.append(copying: payload)
            frame(.pong, echo)
        case .close: owner.ended(self, because: "closed by the server with \(Self.closing(payload))")
        case .other: break
        }
    }

    private func note(_ heard: Heard, _ message: RawSpan) {
        if heard == .ping, target.dialect == .nats { return send(Array("PONG\r\n".utf8)) }
        guard !isReady else { return owner.heard(heard, on: self) }
        switch heard {
        case .ready: becomeReady()
        case .ok:
            guard let second = target.dialect.second(role, index: index) else { return becomeReady() }
            send(second)
        case .refused: owner.ended(self, because: "the greeting was answered with \(Self.text(message))")
        case .delivery, .ping, .other: break
        }
    }

    private func becomeReady() {
        guard !isReady else { return }
        isReady = true
        owner.ready(self)
    }

    private static func closing(_ payload: RawSpan) -> String {
        guard payload.byteCount >= 2 else { return "no code" }
        let code = Int(payload.byte(at: 0)) << 8 | Int(payload.byte(at: 1))
        return "\(code) \(text(payload.extracting(droppingFirst: 2)))"
    }

    private static func text(_ bytes: RawSpan) -> String {
        var copy: [UInt8] = []
        copy.append(copying: bytes)
        return String(decoding: copy.prefix(300), as: UTF8.self)
    }
}

/// The destination of a scenario's connections.
struct LoadTarget: Sendable {
    let server: ServerAddress
    var dialect = Dialect.watchwise
    /// The token of a connection; nil where no `hello` is sent.
    var token: (@Sendable (Int) -> String)?
}

@available(*, unavailable)
extension LeanSocket: Sendable {}
