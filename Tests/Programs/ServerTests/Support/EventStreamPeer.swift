import JSON
import TestSupport

/// `GET /v1/events` for a test: it decodes chunks, and keeps events and comments in order.
///
/// It does not use the modules under test.
/// - Confinement: one thread at a time
final class EventStreamPeer {
    /// One event.
    struct Event: Equatable {
        var id: String?
        var type: String?
        var data = ""

        func json() throws -> JSONValue { try JSONValue(parsing: Array(data.utf8), depthMax: 24) }
    }

    let head: String
    private(set) var comments = 0
    /// All events, in order.
    private(set) var events: [Event] = []
    /// Positions of the events of the log, in order.
    private(set) var seqs: [Int64] = []
    private let socket: TCPSocket
    private let isChunked: Bool
    private var raw: [UInt8] = []
    private var text: [UInt8] = []
    private var isOver = false
    private var lookedAt = 0

    convenience init(
        _ server: TestServer, _ target: String = "/v1/events", token: String?, headers: [(String, String)] = [],
        version: String = "1.1", receiveBufferBytes: Int32? = nil
    ) throws {
        try self.init(
            port: server.port, target, token: token, headers: headers, version: version,
            receiveBufferBytes: receiveBufferBytes)
    }

    init(
        port: UInt16, _ target: String = "/v1/events", token: String?, headers: [(String, String)] = [],
        version: String = "1.1", receiveBufferBytes: Int32? = nil
    ) throws {
        socket = try TCPSocket(port: port, receiveBufferBytes: receiveBufferBytes)
        var request = "GET \(target) HTTP/\(version)\r\nHost: localhost\r\n"
        if let token { request += "Authorization: Bearer \(token)\r\n" }
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        try socket.send(request + "\r\n")
        let end = Array("\r\n\r\n".utf8)
        var bytes: [UInt8] = []
        while bytes.firstIndex(of: end) == nil {
            let more = try socket.receive()
            guard !more.isEmpty else { throw TCPSocket.Failure(description: "ended inside the head") }
            bytes += more
        }
        let headEnd = bytes.firstIndex(of: end) ?? 0
        head = String(decoding: bytes[..<headEnd], as: UTF8.self)
        isChunked = head.contains("Transfer-Encoding: chunked")
        raw = Array(bytes[(headEnd + end.count)...])
    }

    /// Closes the connection.
    func close() { socket.close() }

    /// The next event after the last returned one.
    /// - Returns: nil when the stream has ended normally.
    func next() throws -> Event? {
        while lookedAt == events.count {
            try takeChunks()
            try takeEvents()
            guard lookedAt == events.count else { break }
            guard !isOver else { return nil }
            let more = try socket.receive()
            if more.isEmpty {
                guard !isChunked else { throw TCPSocket.Failure(description: "ended without a last chunk") }
                isOver = true
            }
            raw += more
        }
        lookedAt += 1
        return events[lookedAt - 1]
    }

    /// The next event of a type.
    @discardableResult
    func event(_ type: String) throws -> Event {
        while let event = try next() {
            if event.type == type { return event }
        }
        throw TCPSocket.Failure(description: "the stream ended before \(type): \(events.map(\.data))")
    }

    private func takeChunks() throws {
        guard isChunked else {
            text += raw
            raw = []
            return
        }
        var offset = 0
        while !isOver, let line = raw.firstIndex(of: [13, 10], from: offset) {
            guard let size = Int(String(decoding: raw[offset..<line], as: UTF8.self), radix: 16) else {
                throw TCPSocket.Failure(description: "no chunk's size")
            }
            guard raw.count >= line + 2 + size + 2 else { break }
            text += raw[(line + 2)..<(line + 2 + size)]
            guard raw[line + 2 + size] == 13 else { throw TCPSocket.Failure(description: "a chunk too long") }
            offset = line + 2 + size + 2
            isOver = size == 0
        }
        raw.removeFirst(offset)
    }

    private func take(_ event: Event) throws {
        events.append(event)
        let isOfLog = event.id != nil && event.type != "live" && event.type != "beat"
        guard isOfLog, let seq = try event.json()["seq"]?.integerValue else { return }
        seqs.append(seq)
    }

    private func takeEvents() throws {
        var offset = 0
        while let end = text.firstIndex(of: [10, 10], from: offset) {
            var event = Event()
            for line in String(decoding: text[offset..<end], as: UTF8.self).split(separator: "\n") {
                if line.hasPrefix(":") { comments += 1 }
                if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { event.type = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { event.data += String(line.dropFirst(6)) }
            }
            if !event.data.isEmpty { try take(event) }
            offset = end + 2
        }
        text.removeFirst(offset)
    }
}
