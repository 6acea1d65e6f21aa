import Digits
import Model

/// Reads a message's body: by its length, in chunks (RFC 9112 section 7.1), or up to the end of the connection.
///
/// - Confinement: any
struct HTTPBodyReader: Sendable {
    /// How the end of the body is found (RFC 9112 section 6.3).
    enum Framing: Sendable, Hashable {
        case length(Int)
        case chunked
        case untilClose
    }

    private enum State: Sendable {
        case waitingForBytes(Int)
        case waitingForClose
        case waitingForChunkSize
        case waitingForChunk(Int)
        case waitingForChunkCarriageReturn
        case waitingForChunkLineFeed
        case waitingForTrailer
        case ended
    }

    /// Digits of a chunk's size: enough for any accepted size, and too few to overflow.
    private static let chunkSizeDigitsMax = 15

    private var state: State
    private let limits: HTTPLimits
    private var lines = HTTPLineReader()
    private var bodyBytes = 0
    private var extensionBytes = 0
    private var trailerBytes = 0

    init(_ framing: Framing, limits: HTTPLimits) throws(HTTPViolation) {
        self.limits = limits
        switch framing {
        case .length(let count):
            guard count <= limits.bodyBytesMax else { throw Self.tooLarge }
            state = count == 0 ? .ended : .waitingForBytes(count)
        case .chunked: state = .waitingForChunkSize
        case .untilClose: state = .waitingForClose
        }
    }

    /// Whether the body's last byte has been taken.
    var isEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Whether the body ends with the connection.
    var endsWithConnection: Bool {
        if case .waitingForClose = state { true } else { false }
    }

    /// Reads from `offset` up to the body's end and appends the content to `content`, also when it throws.
    mutating func next(_ bytes: RawSpan, at offset: inout Int, onto content: inout [UInt8]) throws(HTTPViolation) {
        while offset < bytes.byteCount {
            switch state {
            case .waitingForBytes(let missing):
                let left = take(missing, bytes, at: &offset, onto: &content)
                state = left == 0 ? .ended : .waitingForBytes(left)
            case .waitingForClose:
                let count = bytes.byteCount - offset
                try reserve(count)
                _ = take(count, bytes, at: &offset, onto: &content)
            case .waitingForChunkSize:
                try nextChunkSize(bytes, at: &offset)
            case .waitingForChunk(let missing):
                let left = take(missing, bytes, at: &offset, onto: &content)
                state = left == 0 ? .waitingForChunkCarriageReturn : .waitingForChunk(left)
            case .waitingForChunkCarriageReturn:
                try expect(HTTPSyntax.carriageReturn, bytes, at: &offset)
                state = .waitingForChunkLineFeed
            case .waitingForChunkLineFeed:
                try expect(HTTPSyntax.lineFeed, bytes, at: &offset)
                state = .waitingForChunkSize
            case .waitingForTrailer:
                try nextTrailer(bytes, at: &offset)
            case .ended:
                return
            }
        }
    }

    private static let tooLarge = HTTPViolation(413, "the body is too large")

    /// Takes up to `missing` bytes and returns how many are still missing.
    private func take(_ missing: Int, _ bytes: RawSpan, at offset: inout Int, onto content: inout [UInt8]) -> Int {
        let count = min(missing, bytes.byteCount - offset)
        content.append(copying: bytes.extracting(offset..<offset + count))
        offset += count
        return missing - count
    }

    private mutating func reserve(_ count: Int) throws(HTTPViolation) {
        guard count <= limits.bodyBytesMax - bodyBytes else { throw Self.tooLarge }
        bodyBytes += count
    }

    private func expect(_ byte: UInt8, _ bytes: RawSpan, at offset: inout Int) throws(HTTPViolation) {
        guard bytes.byte(at: offset) == byte else { throw .badRequest("a chunk does not end with CR LF") }
        offset += 1
    }

    /// Reads `SIZE` or `SIZE;extension`: only hexadecimal digits, no blanks, no sign, no `0x`.
    private mutating func nextChunkSize(_ bytes: RawSpan, at offset: inout Int) throws(HTTPViolation) {
        let bytesMax = Self.chunkSizeDigitsMax + limits.chunkExtensionBytesMax - extensionBytes
        let overflow = HTTPViolation.badRequest("the chunk line is too long")
        guard try lines.next(bytes, at: &offset, bytesMax: bytesMax, overflow: overflow) else { return }
        let digits = lines.line.prefix { $0 != UInt8(ascii: ";") }
        guard !digits.isEmpty, digits.count <= Self.chunkSizeDigitsMax else { throw .badRequest("invalid chunk size") }
        var size = 0
        for byte in digits {
            guard let digit = Hexadecimal.value(of: byte) else { throw .badRequest("invalid chunk size") }
            size = size << 4 | Int(digit)
        }
        extensionBytes += lines.line.count - digits.count
        guard extensionBytes <= limits.chunkExtensionBytesMax else { throw overflow }
        try reserve(size)
        state = size == 0 ? .waitingForTrailer : .waitingForChunk(size)
    }

    /// Checks a trailer line and drops it: a trailer must not change the meaning of the head (RFC 9110 section 6.5.1).
    private mutating func nextTrailer(_ bytes: RawSpan, at offset: inout Int) throws(HTTPViolation) {
        let left = limits.trailerBytesMax - trailerBytes
        let overflow = HTTPViolation(431, "the trailer fields are too large")
        guard try lines.next(bytes, at: &offset, bytesMax: left, overflow: overflow) else { return }
        if lines.line.isEmpty {
            state = .ended
            return
        }
        _ = try HTTPHeaders.Field(line: lines.line)
        trailerBytes += lines.line.count + 2
        guard trailerBytes <= limits.trailerBytesMax else { throw overflow }
    }
}
