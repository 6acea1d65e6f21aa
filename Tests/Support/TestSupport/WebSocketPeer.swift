/// A WebSocket client of a test, as simple as RFC 6455 allows.
///
/// It does not use the modules under test, so that their misunderstandings are not shared by the tests. It answers
/// pings.
/// - Confinement: one thread at a time
package final class WebSocketPeer {
    /// A message of a server.
    package enum Message: Sendable, Hashable {
        case text(String)
        case binary([UInt8])
        case ping([UInt8])
        case pong([UInt8])
        /// The server's close frame; the server then ends the connection.
        case close(code: UInt16?, reason: String)
        /// The connection ended without a close frame.
        case end
    }

    package let socket: TCPSocket
    /// The fields of the server's answer to the handshake, names in small letters.
    package let answerHeaders: [String: String]
    /// Turned off to play a dead client.
    package var answersPings = true
    /// Set to accept compressed messages: inflates a whole payload.
    package var inflate: (([UInt8]) throws -> [UInt8])?
    /// The number of compressed messages received.
    package private(set) var inflatedCount = 0
    private var held: [UInt8]
    private var offset = 0

    /// Does the handshake.
    /// - Parameters:
    ///   - headers: More fields of the upgrade.
    ///   - firstFrames: Sent in the same packet as the upgrade.
    /// - Throws: when the answer is not 101.
    package init(
        port: UInt16,
        target: String = "/v1/ws",
        headers: [(String, String)] = [],
        firstFrames: [UInt8] = [],
        receiveBufferBytes: Int32? = nil
    ) throws {
        socket = try TCPSocket(port: port, receiveBufferBytes: receiveBufferBytes)
        try socket.send(Array(Self.upgrade(target, headers).utf8) + firstFrames)
        (answerHeaders, held) = try Self.answer(on: socket)
    }

    /// Takes over a socket on which the upgrade was already sent.
    /// - Throws: when the answer is not 101.
    package init(upgraded socket: TCPSocket) throws {
        self.socket = socket
        (answerHeaders, held) = try Self.answer(on: socket)
    }

    /// Waits for the answer to the upgrade.
    /// - Returns: its fields, and the bytes after it.
    private static func answer(on socket: TCPSocket) throws -> ([String: String], [UInt8]) {
        var bytes: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while bytes.firstIndex(of: end) == nil {
            let more = try socket.receive()
            guard !more.isEmpty else { throw TCPSocket.Failure(description: "ended inside the handshake") }
            bytes += more
        }
        let headEnd = bytes.firstIndex(of: end) ?? 0
        let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n").map(String.init)
        guard lines.first?.hasPrefix("HTTP/1.1 101 ") == true else {
            throw TCPSocket.Failure(description: String(decoding: bytes, as: UTF8.self))
        }
        var found: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            found[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        return (found, Array(bytes[(headEnd + end.count)...]))
    }

    /// The head of an upgrade request.
    package static func upgrade(_ target: String, _ headers: [(String, String)] = []) -> String {
        var text = "GET \(target) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return text + "\r\n"
    }

    /// A whole frame with a mask.
    package static func frame(
        opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, isCompressed: Bool = false
    ) -> [UInt8] {
        let mask: [UInt8] = [0x37, 0xfa, 0x21, 0x3d]
        var frame: [UInt8] = [(isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode]
        switch payload.count {
        case ..<126: frame.append(0x80 | UInt8(payload.count))
        case ..<65_536: frame += [0xfe, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        default:
            frame.append(0xff)
            for shift in stride(from: 56, through: 0, by: -8) { frame.append(UInt8(payload.count >> shift & 0xff)) }
        }
        frame += mask
        frame.reserveCapacity(frame.count + payload.count)
        for (index, byte) in payload.enumerated() { frame.append(byte ^ mask[index & 3]) }
        return frame
    }

    /// A text frame.
    package static func frame(_ text: String) -> [UInt8] { frame(opcode: 1, Array(text.utf8)) }

    package func send(_ text: String) throws { try socket.send(Self.frame(text)) }
    package func send(binary: [UInt8]) throws { try socket.send(Self.frame(opcode: 2, binary)) }
    package func sendPing(_ payload: [UInt8]) throws { try socket.send(Self.frame(opcode: 9, payload)) }
    package func sendClose(_ code: UInt16) throws {
        try socket.send(Self.frame(opcode: 8, [UInt8(code >> 8), UInt8(code & 0xff)]))
    }

    /// Whether a message, or a part of one, has arrived.
    package func hasBytes(withinMilliseconds milliseconds: Int32 = 0) -> Bool {
        offset < held.count || socket.isReadable(withinMilliseconds: milliseconds)
    }

    /// Waits for the next message.
    /// - Throws: when the server is silent for too long, or masks, or fragments.
    package func next() throws -> Message {
        guard let head = try bytes(2) else { return .end }
        let isCompressed = inflate != nil && head[0] & 0x40 != 0
        guard head[0] & 0xf0 == (isCompressed ? 0xc0 : 0x80), head[1] & 0x80 == 0 else {
            throw TCPSocket.Failure(description: "an unexpected frame head: \(head)")
        }
        var count = Int(head[1])
        if count >= 126 {
            guard let more = try bytes(count == 126 ? 2 : 8) else { return .end }
            count = more.reduce(0) { $0 << 8 | Int($1) }
        }
        guard var payload = try bytes(count) else { return .end }
        if isCompressed, let inflate {
            payload = try inflate(payload)
            inflatedCount += 1
        }
        switch head[0] & 0x0f {
        case 1: return .text(String(decoding: payload, as: UTF8.self))
        case 2: return .binary(payload)
        case 8:
            guard payload.count >= 2 else { return .close(code: nil, reason: "") }
            let reason = String(decoding: payload.dropFirst(2), as: UTF8.self)
            return .close(code: UInt16(payload[0]) << 8 | UInt16(payload[1]), reason: reason)
        case 9:
            if answersPings { try? socket.send(Self.frame(opcode: 10, payload)) }
            return .ping(payload)
        case 10: return .pong(payload)
        default: throw TCPSocket.Failure(description: "an unknown opcode: \(head[0])")
        }
    }

    /// This number of bytes; nil when the connection ends before.
    private func bytes(_ count: Int) throws -> [UInt8]? {
        while held.count - offset < count {
            let more = try socket.receive()
            if more.isEmpty { return nil }
            held.removeFirst(offset)
            offset = 0
            held += more
        }
        defer { offset += count }
        return Array(held[offset..<(offset + count)])
    }
}
