import Compression
import Wire

/// Frames of a peer: the events do not depend on how bytes were cut, texts are UTF-8, and a message that was read can
/// be sent and read again. The first byte of an input chooses the reading side (bit 0: a client), whether compression
/// was agreed (bit 1), with contexts kept (bit 2), and the largest message (bit 3: 300 bytes or 70,000).
struct WebSocketFuzz: FuzzTarget {
    static let name = "WebSocket"

    /// How the connection was set up.
    private struct Setup {
        let role: WebSocketConnection.Role
        let messageBytesMax: Int
        let isCompressed: Bool
        let keepsContext: Bool

        init(_ options: UInt8) {
            role = options & 1 == 0 ? .server : .client
            isCompressed = options & 2 != 0
            keepsContext = options & 4 != 0
            messageBytesMax = options & 8 == 0 ? 300 : 70_000
        }

        func events(_ pieces: [[UInt8]]) -> [WebSocketEvent] {
            let inflater = isCompressed ? Inflater(keepsContext: keepsContext) : nil
            var connection = WebSocketConnection(role: role, messageBytesMax: messageBytesMax)
            var events: [WebSocketEvent] = []
            for piece in pieces { connection.receive(piece, decompressor: inflater, into: &events) }
            return events
        }
    }

    init() {}

    func check(_ input: [UInt8]) throws {
        guard let options = input.first else { return }
        let setup = Setup(options)
        let bytes = Array(input.dropFirst())
        let events = setup.events([bytes])
        for pieces in Cuts.of(bytes) { try expect(setup.events(pieces), equals: events, "cut") }
        var frames: [UInt8] = []
        var sent: [WebSocketEvent] = []
        let key: UInt32? = setup.role == .server ? 0x1234_5678 : nil
        for event in events {
            switch event {
            case .text(let payload):
                try expect(String(validating: payload, as: UTF8.self) != nil, "a text that is not UTF-8")
                try expect(payload.count <= setup.messageBytesMax, "a text of \(payload.count) bytes")
                FrameEncoder.append(.text, payload, maskingKey: key, to: &frames)
            case .binary(let payload):
                try expect(payload.count <= setup.messageBytesMax, "a message of \(payload.count) bytes")
                FrameEncoder.append(.binary, payload, maskingKey: key, to: &frames)
            case .ping(let payload): FrameEncoder.append(.ping, payload, maskingKey: key, to: &frames)
            case .pong(let payload): FrameEncoder.append(.pong, payload, maskingKey: key, to: &frames)
            case .close(let code, let reason):
                let text = try unwrap(String(validating: reason, as: UTF8.self), "a reason that is not UTF-8")
                FrameEncoder.appendClose(code: code, reason: text, maskingKey: key, to: &frames)
            case .violation(let violation):
                try expect(WebSocketCloseCode.maySend(violation.closeCode), "close code \(violation.closeCode)")
                try expect(event == events.last, "events behind a violation")
                FrameEncoder.appendClose(code: violation.closeCode, reason: violation.reason, to: &frames)
                continue
            }
            sent.append(event)
        }
        try expect(Array(setup.events([frames]).prefix(sent.count)), equals: sent, "sent again")
    }
}

extension FuzzTarget {
    /// The value, or a finding.
    func unwrap<Value>(_ value: Value?, _ what: @autoclosure () -> String) throws(Finding) -> Value {
        guard let value else { throw Finding(description: what()) }
        return value
    }
}
