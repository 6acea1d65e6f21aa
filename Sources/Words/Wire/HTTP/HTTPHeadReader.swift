import Model

/// Collects the head of a message, request or response: its first line and its header lines (RFC 9112 section 2.1).
///
/// - Confinement: any
struct HTTPHeadReader<StartLine: HTTPStartLine>: Sendable {
    private let limits: HTTPLimits
    private var lines = HTTPLineReader()
    private var startLine: StartLine?
    private var headers = HTTPHeaders()
    private var headerBytes = 0
    /// Bytes of the start line in memory, which may be many more than on the wire.
    private var startLineBytes = 0
    private var hasSkippedEmptyLine = false

    init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// Whether no byte of a message has arrived yet.
    var isEmpty: Bool { startLine == nil && lines.line.isEmpty }

    /// Bytes kept of the message so far.
    var heldBytes: Int { startLineBytes + headerBytes + headers.fields.capacity * 80 + lines.line.capacity }

    /// Continues at `offset`, which moves past the bytes read.
    ///
    /// - Returns: the head when its empty line has arrived, else nil; after that the reader must not be used again.
    mutating func next(
        _ bytes: RawSpan,
        at offset: inout Int
    ) throws(HTTPViolation) -> (startLine: StartLine, headers: HTTPHeaders)? {
        while true {
            if let startLine {
                guard try nextHeader(bytes, at: &offset) else { return nil }
                if lines.line.isEmpty { return (startLine, headers) }
            } else {
                let bytesMax = StartLine.bytesMax(limits)
                guard try lines.next(bytes, at: &offset, bytesMax: bytesMax, overflow: StartLine.overflow) else {
                    return nil
                }
                try beginHead()
            }
        }
    }

    /// One empty line before a message is accepted, since old clients send one after a body (RFC 9112 section 2.2).
    private mutating func beginHead() throws(HTTPViolation) {
        guard lines.line.isEmpty else {
            let line = try StartLine(lines.line, limits: limits)
            startLineBytes = line.heldBytes
            startLine = line
            return
        }
        guard !hasSkippedEmptyLine else { throw .badRequest("empty lines before the message") }
        hasSkippedEmptyLine = true
    }

    /// Reads the next header line, or the empty one after the last; false if it is not complete yet.
    private mutating func nextHeader(_ bytes: RawSpan, at offset: inout Int) throws(HTTPViolation) -> Bool {
        let overflow = HTTPViolation(431, "the header fields are too large")
        let left = limits.headerBytesMax - headerBytes
        guard try lines.next(bytes, at: &offset, bytesMax: max(0, left), overflow: overflow) else { return false }
        guard !lines.line.isEmpty else { return true }
        headerBytes += lines.line.count + 2
        guard headers.fields.count < limits.headerCountMax, headerBytes <= limits.headerBytesMax else {
            throw overflow
        }
        let field = try HTTPHeaders.Field(line: lines.line)
        headers.append(field.name, field.value)
        return true
    }
}

extension HTTPHeaders.Field {
    /// Reads a header line: a token, a colon right after it, a value (RFC 9112 section 5).
    ///
    /// A line that begins with a blank would continue the line before (obs-fold), and servers read a blank before the
    /// colon differently. In both cases the name is not a token, and the line is refused.
    init(line: [UInt8]) throws(HTTPViolation) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .badRequest("header without a colon") }
        let name = line[..<colon]
        guard HTTPSyntax.isToken(name) else { throw .badRequest("the header name is not a token") }
        let value = HTTPSyntax.trimmed(line[(colon + 1)...])
        self.init(name: HTTPSyntax.text(name), value: HTTPSyntax.text(value))
    }
}
