/// The receiving side of one WebSocket connection (RFC 6455) after its handshake: bytes in, events out.
///
/// Heads are checked before their payload is kept, so the memory is bounded by `messageBytesMax` and 125 bytes of a
/// control frame. After a close frame or a violation nothing more is parsed; later bytes are ignored.
///
/// - Confinement: any
package struct WebSocketConnection: Sendable {
    /// The side of the connection: a server accepts only masked frames, a client only unmasked ones.
    package enum Role: Sendable, Hashable {
        case server, client
    }

    private enum State: Sendable {
        case waitingForHeader
        case waitingForPayload(FrameHeader, missing: Int)
    }

    /// The state of an unfinished message or frame. For most of its life a connection has none, and holds no memory for
    /// it.
    private struct Partial: Sendable {
        var state = State.waitingForHeader
        var headerDecoder = FrameHeaderDecoder()
        var assembler = MessageAssembler()
        var control: [UInt8] = []

        /// Whether nothing is unfinished.
        var isEmpty: Bool {
            if case .waitingForHeader = state { headerDecoder.isEmpty && assembler.kind == nil } else { false }
        }
    }

    /// A box on the heap for the unfinished state.
    private indirect enum Holder: Sendable {
        case partial(Partial)
    }

    private var holder: Holder?
    private let messageBytesLimit: UInt32
    private var frameCount: UInt32 = 0
    /// The side of the connection.
    package let role: Role
    /// Whether a close frame or a violation has ended the connection.
    package private(set) var isFinished = false

    /// The largest accepted message in bytes (after inflating); a larger one closes with 1009 at its head.
    package var messageBytesMax: Int { Int(messageBytesLimit) }

    /// A connection just upgraded, with nothing received.
    ///
    /// - Parameter messageBytesMax: at least 0 and below 2^32.
    package init(role: Role, messageBytesMax: Int) {
        precondition((0..<1 << 32).contains(messageBytesMax), "messageBytesMax is outside 0..<2^32")
        self.role = role
        messageBytesLimit = UInt32(messageBytesMax)
    }

    /// Bytes kept of an incomplete message or control frame.
    package var heldBytes: Int {
        if case .partial(let partial) = holder { partial.assembler.heldBytes + partial.control.count } else { 0 }
    }

    /// Whether no message or frame is unfinished, so that its time limit has not begun.
    package var isBetweenMessages: Bool { holder == nil }

    /// The number of frames whose head has arrived since the last call.
    package mutating func takeFrameCount() -> Int {
        defer { frameCount = 0 }
        return Int(frameCount)
    }

    /// Takes the bytes of one read and appends the events that they complete.
    ///
    /// A message that is complete in `bytes`, in one frame, costs one allocation: its payload.
    /// - Parameters:
    ///   - bytes: Any cut of the stream.
    ///   - decompressor: Passed at every call if compression was negotiated, and never otherwise: without it a frame
    ///     with RSV1 is a violation.
    ///   - events: The events in order; the caller empties the array and keeps its capacity.
    package mutating func receive(
        _ bytes: RawSpan,
        decompressor: (any MessageDecompressor)? = nil,
        into events: inout [WebSocketEvent]
    ) {
        guard !isFinished else { return }
        do throws(WebSocketViolation) {
            var offset = 0
            if holder == nil { try receiveWholeMessages(bytes, at: &offset, decompressor, into: &events) }
            guard offset < bytes.byteCount else { return }
            var partial = takePartial()
            while offset < bytes.byteCount, !isFinished {
                switch partial.state {
                case .waitingForHeader:
                    try receiveHeader(bytes, at: &offset, decompressor, &partial, into: &events)
                case .waitingForPayload(let header, let missing):
                    try receivePayload(header, missing, bytes, at: &offset, decompressor, &partial, into: &events)
                }
            }
            if !partial.isEmpty, !isFinished { holder = .partial(partial) }
        } catch {
            finish(with: .violation(error), into: &events)
        }
    }

    private mutating func takePartial() -> Partial {
        guard case .partial(let partial) = holder else { return Partial() }
        holder = nil
        return partial
    }

    /// The hot path: complete, uncompressed messages in one frame each. Stops at the first frame that is different.
    private mutating func receiveWholeMessages(
        _ bytes: RawSpan,
        at offset: inout Int,
        _ decompressor: (any MessageDecompressor)?,
        into events: inout [WebSocketEvent]
    ) throws(WebSocketViolation) {
        let rules = FrameHeader.Rules(isMaskRequired: role == .server, mayCompress: decompressor != nil)
        while offset < bytes.byteCount {
            let rest = bytes.extracting(droppingFirst: offset)
            guard let (header, byteCount) = try FrameHeader.parse(rest, rules: rules) else { return }
            var end = offset + byteCount
            guard !header.opcode.isControl, try receiveWholeMessage(header, bytes, at: &end, into: &events) else {
                return
            }
            frameCount &+= 1
            offset = end
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
        _ partial: inout Partial,
        into events: inout [WebSocketEvent]
    ) throws(WebSocketViolation) {
        let rules = FrameHeader.Rules(isMaskRequired: role == .server, mayCompress: decompressor != nil)
        guard let header = try partial.headerDecoder.next(bytes, at: &offset, rules: rules) else { return }
        frameCount &+= 1
        if !header.opcode.isControl {
            if partial.assembler.kind == nil, try receiveWholeMessage(header, bytes, at: &offset, into: &events) {
                return
            }
            try partial.assembler.begin(header, bytesMax: messageBytesMax)
        }
        if header.payloadCount == 0 {
            try finishFrame(header, decompressor, &partial, into: &events)
        } else {
            partial.state = .waitingForPayload(header, missing: header.payloadCount)
        }
    }

    /// A complete, uncompressed message in one frame.
    private mutating func receiveWholeMessage(
        _ header: FrameHeader,
        _ bytes: RawSpan,
        at offset: inout Int,
        into events: inout [WebSocketEvent]
    ) throws(WebSocketViolation) -> Bool {
        guard header.isFinal, header.opcode != .continuation, !header.isCompressed,
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
        _ partial: inout Partial,
        into events: inout [WebSocketEvent]
    ) throws(WebSocketViolation) {
        let end = offset + min(missing, bytes.byteCount - offset)
        let piece = bytes.extracting(offset..<end)
        let phase = header.payloadCount - missing
        offset = end
        if header.opcode.isControl {
            Masking.append(piece, key: header.maskingKey, phase: phase, to: &partial.control)
        } else {
            try partial.assembler.append(piece, maskingKey: header.maskingKey, phase: phase)
        }
        if piece.byteCount == missing {
            try finishFrame(header, decompressor, &partial, into: &events)
        } else {
            partial.state = .waitingForPayload(header, missing: missing - piece.byteCount)
        }
    }

    private mutating func finishFrame(
        _ header: FrameHeader,
        _ decompressor: (any MessageDecompressor)?,
        _ partial: inout Partial,
        into events: inout [WebSocketEvent]
    ) throws(WebSocketViolation) {
        partial.state = .waitingForHeader
        var control: [UInt8] = []
        swap(&control, &partial.control)
        switch header.opcode {
        case .continuation, .text, .binary:
            guard header.isFinal else { return }
            events.append(try partial.assembler.finish(decompressor, bytesMax: messageBytesMax))
        case .ping:
            events.append(.ping(control))
        case .pong:
            events.append(.pong(control))
        case .close:
            finish(with: try Self.closeEvent(control), into: &events)
        }
    }

    /// Makes `event` the last one and releases kept bytes.
    private mutating func finish(with event: WebSocketEvent, into events: inout [WebSocketEvent]) {
        isFinished = true
        events.append(event)
    }

    /// Checks a close frame's payload: empty, or an allowed code and a reason in UTF-8 (section 5.5.1).
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
