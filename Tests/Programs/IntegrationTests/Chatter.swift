import JSON
import TestSupport

/// A session with short calls.
/// - Confinement: one thread at a time
final class Chatter {
    let peer: WebSocketPeer
    private(set) var messages: [JSONValue] = []
    private(set) var end: WebSocketPeer.Message?
    private(set) var epoch = JSONValue.null
    private var nextID: Int64 = 1

    /// Connects and says hello, with id 1.
    init(port: UInt16, token: String, since: JSONValue? = nil) throws {
        peer = try WebSocketPeer(port: port)
        var hello: JSONValue = ["type": "hello", "token": .string(token)]
        if let since { hello["since"] = since }
        epoch = try ok(hello)["epoch"] ?? .null
        while messages.last?["type"] != "live" { try read() }
    }

    /// Sends a command.
    /// - Returns: its id, one more than the last one.
    @discardableResult
    func post(_ command: JSONValue) throws -> Int64 {
        var command = command
        command["id"] = .integer(nextID)
        nextID += 1
        try peer.send(command.text)
        return nextID - 1
    }

    /// Reads one message.
    /// - Returns: nil at the end.
    @discardableResult
    func read() throws -> JSONValue? {
        guard end == nil else { return nil }
        while true {
            let message = try peer.next()
            switch message {
            case .text(let text):
                let value = try JSONValue(parsing: Array(text.utf8), depthMax: 24)
                messages.append(value)
                return value
            case .ping, .pong, .binary: continue
            case .close, .end:
                end = message
                return nil
            }
        }
    }

    /// Reads until the connection ends in any way.
    @discardableResult
    func readToEnd() -> WebSocketPeer.Message {
        while let message = try? read() { _ = message }
        return end ?? .end
    }

    /// Sends a command and returns its `ok`.
    func ok(_ command: JSONValue) throws -> JSONValue {
        let id = try post(command)
        while let message = try read() {
            guard message["re"] == .integer(id) else { continue }
            guard let ok = message["ok"] else { throw TCPSocket.Failure(description: message.text) }
            return ok
        }
        throw TCPSocket.Failure(description: "ended before the reply")
    }

    /// The chat's numbers in the events so far, in order.
    var numbers: [Int64] { messages.filter { $0["type"] == "message" }.compactMap { $0["n"]?.integerValue } }
}
