/// The receiving half of one WebSocket connection (RFC 6455) after its handshake: bytes in, events out.
///
/// Heads are judged before their payload is taken, so memory is bounded by `messageBytesMax` and 125 bytes of a control
/// frame. After a close frame or a violation nothing more is parsed; later bytes are ignored.
///
/// - Confinement: any
package struct WebSocketConnection: Sendable {
    /// Which end of the connection this is: a server takes masked frames only, a client unmasked ones only.
    package enum Role: Sendable, Hashable {
        case server, client
    }

    private enum State: Sendable {
        case waitingForHeader
        case waitingForPayload(FrameHeader, missing: Int)
        case finished
    }

    /// Which end this is.
    package let role: Role
    /// The largest message taken, in bytes (after inflating); a larger one closes with 1009 at its head.
    package let messageBytesMax: Int

    private var state = State.waitingForHeader
    private var headerDecoder = FrameHeaderDecoder()
    private var assembler = MessageAssembler()
    private var control: [UInt8] = []
    /// Frames whose head has come so far.
    package private(set) var frameCount = 0

    /// A connection just upgraded, with nothing received.
    ///
    /// - Parameter messageBytesMax: at least 0 and below 2^48, so that sums of sizes cannot overflow.
    package init(role: Role, messageBytesMax: Int) {
        precondition((0..<1 << 48).contains(messageBytesMax), "messageBytesMax is outside 0..<2^48")
        self.role = role
        self.messageBytesMax = messageBytesMax
    }

    /// Whether a close frame or a violation has ended the connection.
    package var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    /// Bytes kept of a message, or of a control frame, that is not whole.
    package var heldBytes: Int { assembler.heldBytes + control.count }

    /// Whether no message or frame is under way: the time it may take has not begun.
    package var isBetweenMessages: Bool {
        switch state {
        case .waitingForHeader: headerDecoder.isEmpty && assembler.kind == nil
        case .waitingForPayload: false
        case .finished: true
        }
    }

    /// Takes the bytes of one read and appends what they complete to `events`.
    ///
    /// A message that lies in `bytes` whole, in one frame, costs one allocation: its payload.
    /// - Parameters:
    ///   - bytes: any cut of the stream.
    ///   - decompressor: given at every call if compression was negotiated, never otherwise: without it a frame with
    ///     RSV1 is a violation.
    ///   - events: what was found, in order; the caller empties it, keeping its capacity.
    package mutating func receive(
        _ bytes: RawSpan,
        decompressor: (any MessageDecompressor)? = nil,
        into events: inout [WebSocketEvent]
    ) {
        do throws(WebSocketViolation) {
            var offset = 0
            while offset < bytes.byteCount {
                switch state {
                case .waitingForHeader:
                    try receiveHeader(bytes, at: &offset, decompressor, into: &events)
                case .waitingForPayload(let header, let missing):
                    try receivePayload(header, missing, bytes, at: &offset, decompressor, into: &events)
                case .finished:
                    return
                }
            }
        } catch {
            finish(with: .violation(error), into: &events)
        }
    }

    /// Takes bytes that are in an array; see ``receive(_:decompressor:into:)``.
    package mutating func receive(
        _ bytes: [UInt8],
        decompressor: (any MessageDecompressor)? = nil,
        into events: inout [WebSocketEvent]
    ) {
        bytes.withRawSpan { receive($0, decompressor: decompressor, into: &events) }
    }

    private mutating func receiveHeader(
        _ bytes: RawSpan,
        at offset: inout Int,
        _ decompressor: (any MessageDecompressor)?,
        into events: inout [WebSocketEvent]
    ) throws(WebSocketViolation) {
        let rules = FrameHeader.Rules(isMaskRequired: role == .server, mayCompress: decompressor != nil)
        guard let header = try headerDecoder.next(bytes, at: &offset, rules: rules) else { return }
        frameCount &+= 1
        if !header.opcode.isControl {
            if try receiveWholeMessage(header, bytes, at: &offset, into: &events) { return }
            try assembler.begin(header, bytesMax: messageBytesMax)
        }
        if header.payloadCount == 0 {
            try finishFrame(header, decompressor, into: &events)
        } else {
            state = .waitingForPayload(header, missing: header.payloadCount)
        }
    }

    /// The hot path: an uncompressed message in one frame that is here whole.
    private mutating func receiveWholeMessage(
        _ header: FrameHeader,
        _ bytes: RawSpan,
        at offset: inout Int,
        into events: inout [WebSocketEvent]
    ) throws(WebSocketViolation) -> Bool {
        guard header.isFinal, header.opcode != .continuation, !header.isCompressed, assembler.kind == nil,
            header.payloadCount <= bytes.byteCount - offset, header.payloadCount <= messageBytesMax
        else { return false }
        let end = offset + header.payloadCount
        let (payload, isASCII) = Masking.unmasked(bytes.extracting(offset..<end), key: header.maskingKey)
        offset = end
        if header.opcode == .text {
            if !isASCII {
                var validator = UTF8Validator()
                guard validator.accept(payload), validator.isComplete else { throw .invalidText }
            }
            events.append(.text(payload))
        } else {
            events.append(.binary(payload))
        }
        return true
    }

    private mutating func receivePayload(
        _ header: FrameHeader,
        _ missing: Int,
        _ bytes: RawSpan,
        at offset: inout Int,
        _ decompressor: (any MessageDecompressor)?,
        into events: inout [WebSocketEvent]
    ) throws(WebSocketViolation) {
        let end = offset + min(missing, bytes.byteCount - offset)
        let piece = bytes.extracting(offset..<end)
        let phase = header.payloadCount - missing
        offset = end
        if header.opcode.isControl {
            Masking.append(piece, key: header.maskingKey, phase: phase, to: &control)
        } else {
            try assembler.append(piece, maskingKey: header.maskingKey, phase: phase)
        }
        if piece.byteCount == missing {
            try finishFrame(header, decompressor, into: &events)
        } else {
            state = .waitingForPayload(header, missing: missing - piece.byteCount)
        }
    }

    private mutating func finishFrame(
        _ header: FrameHeader,
        _ decompressor: (any MessageDecompressor)?,
        into events: inout [WebSocketEvent]
    ) throws(WebSocketViolation) {
        state = .waitingForHeader
        switch header.opcode {
        case .continuation, .text, .binary:
            guard header.isFinal else { return }
            events.append(try assembler.finish(decompressor, bytesMax: messageBytesMax))
        case .ping:
            events.append(.ping(takeControl()))
        case .pong:
            events.append(.pong(takeControl()))
        case .close:
            finish(with: try Self.closeEvent(takeControl()), into: &events)
        }
    }

    private mutating func takeControl() -> [UInt8] {
        let payload = control
        control = []
        return payload
    }

    /// Drops everything held and lets `event` be the last.
    private mutating func finish(with event: WebSocketEvent, into events: inout [WebSocketEvent]) {
        state = .finished
        assembler = MessageAssembler()
        control = []
        events.append(event)
    }

    /// Checks a close frame's payload: nothing, or a code that may be sent and a reason in UTF-8 (section 5.5.1).
    private static func closeEvent(_ payload: [UInt8]) throws(WebSocketViolation) -> WebSocketEvent {
        guard !payload.isEmpty else { return .close(code: nil, reason: []) }
        guard payload.count >= 2 else { throw .protocolError("close frame of one byte") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard WebSocketCloseCode.maySend(code) else { throw .protocolError("invalid close code") }
        var validator = UTF8Validator()
        guard validator.accept(payload, from: 2), validator.isComplete else {
            throw .invalidText
        }
        return .close(code: code, reason: Array(payload.dropFirst(2)))
    }
}
