import Foundation
import JSON
import TestSupport

/// A WebSocket session for a test: it sends commands, waits for replies and events, and keeps everything in order.
/// - Confinement: one thread at a time
final class Device {
    let peer: WebSocketPeer
    /// An object that must live as long as the device.
    var held: AnyObject?
    /// All messages of the server, in order, unchanged.
    private(set) var texts: [String] = []
    /// The same, decoded.
    private(set) var messages: [JSONValue] = []
    /// How the connection ended.
    private(set) var end: WebSocketPeer.Message?
    private(set) var pings = 0
    private var replies: [Int64: JSONValue] = [:]
    private var lookedAt = 0
    private var hasSaidHello = false
    private var nextID: Int64 = 1
    /// The names of the commands that wait for their replies, by their ids.
    private var asked: [Int64: String] = [:]

    init(_ peer: WebSocketPeer) { self.peer = peer }

    /// Events of the log, in order.
    private(set) var durable: [JSONValue] = []
    /// Positions of the events of the log, in order.
    private(set) var seqs: [Int64] = []

    /// Sends a command with an id of its own and returns that.
    @discardableResult
    func post(_ command: JSONValue) throws -> Int64 {
        var command = command
        let id = nextID
        nextID += 1
        command["id"] = .integer(id)
        asked[id] = command["type"]?.stringValue
        try peer.send(command.text)
        return id
    }

    /// Reads one message and keeps it.
    /// - Returns: nil when the connection has ended.
    @discardableResult
    func read() throws -> JSONValue? {
        guard end == nil else { return nil }
        while true {
            let message = try peer.next()
            switch message {
            case .text(let text):
                let value = try JSONValue(parsing: Array(text.utf8), depthMax: 24)
                texts.append(text)
                messages.append(value)
                let id = value["re"]?.integerValue
                ServedForms.check(value, repliedTo: id.flatMap { asked.removeValue(forKey: $0) })
                if let id { replies[id] = value }
                if let seq = value["seq"]?.integerValue, value["type"] != "live", value["type"] != "beat" {
                    durable.append(value)
                    seqs.append(seq)
                }
                return value
            case .ping: pings += 1
            case .pong, .binary: continue
            case .close, .end:
                end = message
                return nil
            }
        }
    }

    /// The reply to a command, wherever it is among the messages.
    func reply(to id: Int64) throws -> JSONValue {
        if let there = replies[id] { return there }
        while let message = try read() {
            if message["re"] == .integer(id) { return message }
        }
        throw TCPSocket.Failure(description: "ended (\(String(describing: end))) before the reply to \(id)")
    }

    /// The reply to a command, which waits as long as the pace of commands wants: a fast machine asks more than 1,000 in a second.
    func answer(to command: JSONValue) throws -> JSONValue {
        while true {
            let reply = try reply(to: post(command))
            guard reply["error"]?["code"] == "rate-limited", let wait = reply["error"]?["retryAfterMs"]?.integerValue,
                wait <= Self.paceMillisecondsMax
            else { return reply }
            Thread.pause(milliseconds: Int(wait))
        }
    }

    /// A longer wait is that of another limit.
    private static let paceMillisecondsMax: Int64 = 1000

    /// Sends a command and returns its `ok`.
    @discardableResult
    func ok(_ command: JSONValue) throws -> JSONValue {
        let reply = try answer(to: command)
        guard let ok = reply["ok"] else {
            throw TCPSocket.Failure(description: "\(command.text) was answered \(reply.text)")
        }
        hasSaidHello = hasSaidHello || command["type"] == "hello"
        return ok
    }

    /// Sends a command and returns its `error`.
    func refused(_ command: JSONValue) throws -> JSONValue {
        let reply = try reply(to: post(command))
        guard let error = reply["error"] else {
            throw TCPSocket.Failure(description: "\(command.text) was answered \(reply.text)")
        }
        return error
    }

    /// Says hello.
    @discardableResult
    func hello(token: String?, device: String? = nil, since: JSONValue? = nil) throws -> JSONValue {
        try ok(Self.helloCommand(token: token, device: device, since: since))
    }

    static func helloCommand(token: String?, device: String? = nil, since: JSONValue? = nil) -> JSONValue {
        var hello: JSONValue = ["type": "hello"]
        if let token { hello["token"] = .string(token) }
        if let device { hello["device"] = .string(device) }
        if let since { hello["since"] = since }
        return hello
    }

    /// The next event of a type after the last returned one.
    @discardableResult
    func event(_ type: String, where isWanted: (JSONValue) -> Bool = { _ in true }) throws -> JSONValue {
        while true {
            while lookedAt < messages.count {
                let message = messages[lookedAt]
                lookedAt += 1
                if message["type"] == .string(type), isWanted(message) { return message }
            }
            guard try read() != nil else {
                throw TCPSocket.Failure(description: "ended (\(String(describing: end))) before \(type)")
            }
        }
    }

    /// Waits for a durable event at a position or after it.
    func wait(forSeq seq: Int64) throws {
        while (seqs.last ?? 0) < seq {
            guard try read() != nil else { throw TCPSocket.Failure(description: "ended before seq \(seq)") }
        }
    }

    /// Reads to the end of the connection.
    func waitForEnd() throws -> WebSocketPeer.Message {
        while try read() != nil {}
        return end ?? .end
    }

    /// Waits until everything that was committed before has arrived. A ping does not say so: the loop of this session may answer it
    /// before it hears of a write that another connection's loop has answered. The writer's answers overtake nothing.
    func settle() throws {
        if hasSaidHello { try ok(["type": "unfollow", "topic": "nothing:is-changed"]) }
        try ok(["type": "ping"])
    }
}
