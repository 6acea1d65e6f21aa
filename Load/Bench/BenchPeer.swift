import Client
import ClientProtocol
import JSON
import Model

/// Who owns benchmark connections.
/// - Confinement: loop
protocol BenchPeerOwner: AnyObject {
    /// The connection stands and its `hello`, if there is one, was taken.
    func ready(_ peer: BenchPeer)
    func received(_ message: [UInt8], on peer: BenchPeer)
    func ended(_ peer: BenchPeer, because reason: String)
}

/// One connection of a benchmark: as little work for each message as can be, so that the server is what is measured.
///
/// - Confinement: loop
final class BenchPeer: WebSocketClientDelegate {
    /// Its place among all of the scenario.
    let index: Int
    private(set) var socket: WebSocketClient?
    private let hello: [UInt8]?
    private var isReady = false
    private weak var owner: (any BenchPeerOwner)?

    /// - Parameter token: for `hello`; nil for the echo endpoint, which takes none.
    init(_ index: Int, token: String?, owner: any BenchPeerOwner) {
        self.index = index
        self.owner = owner
        hello = token.map { ClientCommand(.hello, ["token": .string($0), "device": "bench"]).encoded(id: 0) }
    }

    func attach(_ socket: WebSocketClient) {
        self.socket = socket
    }

    func send(_ message: [UInt8]) {
        socket?.send(text: message)
    }

    func opened(_ socket: WebSocketClient) {
        guard let hello else {
            isReady = true
            owner?.ready(self)
            return
        }
        socket.send(text: hello)
    }

    func received(text: [UInt8], on socket: WebSocketClient) {
        guard !isReady else {
            owner?.received(text, on: self)
            return
        }
        guard BenchMessage.kind(of: text) == .ok else {
            owner?.ended(self, because: "hello was answered with \(String(decoding: text.prefix(200), as: UTF8.self))")
            return
        }
        isReady = true
        owner?.ready(self)
    }

    func ended(_ socket: WebSocketClient, _ end: TransportEnd) {
        owner?.ended(self, because: end.description)
    }
}

/// What a message is, told by its first bytes as the server writes them.
enum BenchMessage {
    enum Kind {
        case ok, error, message, notification, other
    }

    private static let reply = Array(#"{"re":"#.utf8)
    private static let type = Array(#""type":""#.utf8)
    private static let message = Array("message\"".utf8)
    private static let notification = Array("notification\"".utf8)
    private static let prefixBytes = 48

    static func kind(of bytes: [UInt8]) -> Kind {
        if bytes.starts(with: reply) {
            // {"re":123,"ok":… or {"re":123,"error":…
            guard let comma = bytes.prefix(prefixBytes).firstIndex(of: UInt8(ascii: ",")), comma + 2 < bytes.count
            else {
                return .other
            }
            return bytes[comma + 2] == UInt8(ascii: "o") ? .ok : .error
        }
        let head = bytes.prefix(prefixBytes)
        var start = head.startIndex
        while let quote = head[start...].firstIndex(of: UInt8(ascii: "\"")) {
            let rest = bytes[quote...]
            if rest.starts(with: type) {
                let value = rest.dropFirst(type.count)
                if value.starts(with: message) { return .message }
                return value.starts(with: notification) ? .notification : .other
            }
            start = quote + 1
        }
        return .other
    }
}

@available(*, unavailable)
extension BenchPeer: Sendable {}
