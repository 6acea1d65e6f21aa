/// Joins the frames of one data message and checks text while it arrives.
///
/// A message in one frame and one read never passes through here.
///
/// - Confinement: any
struct MessageAssembler: Sendable {
    /// How much memory the announced length alone may claim. Beyond this, memory is allocated as bytes arrive, so that
    /// a peer that announces a large message and sends nothing costs little.
    private static let promisedBytesMax = 64 * 1024

    /// The kind of the unfinished message, `text` or `binary`; nil between messages.
    private(set) var kind: WebSocketOpcode?
    private var isCompressed = false
    private var bytes: [UInt8] = []
    private var validator = UTF8Validator()

    /// The memory of the collected bytes.
    var heldBytes: Int { bytes.capacity }

    /// Begins or continues a message with a data frame's head, before its payload.
    ///
    /// Order of fragments: RFC 6455 section 5.4. A message that is too large is refused here, at the head.
    mutating func begin(_ header: FrameHeader, bytesMax: Int) throws(WebSocketViolation) {
        if header.opcode == .continuation {
            guard kind != nil else { throw .protocolError("continuation without a message") }
        } else {
            guard kind == nil else { throw .protocolError("new message inside a fragmented one") }
            kind = header.opcode
            isCompressed = header.isCompressed
        }
        // Deflate makes incompressible data slightly larger: by 2.4 % with zlib's smallest window.
        let limit = isCompressed ? bytesMax + bytesMax / 16 + 64 : bytesMax
        guard header.payloadCount <= limit - bytes.count else { throw .messageTooBig }
        if bytes.isEmpty { bytes.reserveCapacity(min(header.payloadCount, Self.promisedBytesMax)) }
    }

    /// Takes a piece of a frame's payload; `phase` is the number of the frame's earlier bytes.
    mutating func append(_ piece: RawSpan, maskingKey: UInt32, phase: Int) throws(WebSocketViolation) {
        let start = bytes.count
        Masking.append(piece, key: maskingKey, phase: phase, to: &bytes)
        guard kind == .text, !isCompressed else { return }
        guard validator.accept(bytes, from: start) else { throw .invalidText }
    }

    /// Ends the message after its final frame and prepares for the next.
    mutating func finish(
        _ decompressor: (any MessageDecompressor)?,
        bytesMax: Int
    ) throws(WebSocketViolation) -> WebSocketEvent {
        let isText = kind == .text
        var payload = bytes
        if isCompressed {
            payload = try Self.decompress(payload, decompressor, bytesMax: bytesMax)
            if isText, !validator.accept(payload) { throw .invalidText }
        }
        guard !isText || validator.isComplete else { throw .invalidText }
        self = MessageAssembler()
        return isText ? .text(payload) : .binary(payload)
    }

    private static func decompress(
        _ payload: [UInt8],
        _ decompressor: (any MessageDecompressor)?,
        bytesMax: Int
    ) throws(WebSocketViolation) -> [UInt8] {
        guard let decompressor else {
            throw WebSocketViolation(closeCode: WebSocketCloseCode.internalError, reason: "no decompressor")
        }
        let message: [UInt8]
        do throws(MessageDecompressionError) {
            message = try decompressor.decompress(payload, bytesMax: bytesMax)
        } catch {
            switch error {
            case .malformed: throw .notInflatable
            case .tooBig: throw .messageTooBig
            }
        }
        guard message.count <= bytesMax else { throw .messageTooBig }
        return message
    }
}
