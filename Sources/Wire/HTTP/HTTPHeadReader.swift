/// Collects the head of a message, request or response: its first line and its header lines (RFC 9112 section 2.1).
///
/// - Confinement: any
struct HTTPHeadReader: Sendable {
    /// The longest first line: a method, a target, a version; or a status line.
    let startLineBytesMax: Int
    /// What is thrown for a longer first line.
    let startLineOverflow: HTTPViolation
    let limits: HTTPLimits

    private var lines = HTTPLineReader()
    private var startLine: [UInt8]?
    private var headers = HTTPHeaders()
    private var headerBytes = 0
    private var hasSkippedEmptyLine = false

    init(startLineBytesMax: Int, startLineOverflow: HTTPViolation, limits: HTTPLimits) {
        self.startLineBytesMax = startLineBytesMax
        self.startLineOverflow = startLineOverflow
        self.limits = limits
    }

    /// Whether nothing of a message has come yet.
    var isEmpty: Bool { startLine == nil && lines.line.isEmpty }

    /// Reads on at `offset`, which moves behind what was taken.
    ///
    /// - Returns: the head when its empty line has come, else nil; the reader is used up then.
    mutating func next(
        _ bytes: RawSpan,
        at offset: inout Int
    ) throws(HTTPViolation) -> (startLine: [UInt8], headers: HTTPHeaders)? {
        while true {
            guard let startLine else {
                guard
                    try lines.next(
                        bytes,
                        at: &offset,
                        bytesMax: startLineBytesMax,
                        overflow: startLineOverflow
                    )
                else { return nil }
                try beginHead()
                continue
            }
            let left = limits.headerBytesMax - headerBytes
            let overflow = HTTPViolation(431, "the header fields are too large")
            guard try lines.next(bytes, at: &offset, bytesMax: left, overflow: overflow) else { return nil }
            if lines.line.isEmpty { return (startLine, headers) }
            headerBytes += lines.line.count + 2
            guard headers.fields.count < limits.headerCountMax, headerBytes <= limits.headerBytesMax else {
                throw overflow
            }
            let field = try Self.field(lines.line)
            headers.append(field.name, field.value)
        }
    }

    /// One empty line before a message is forgiven, which old clients send behind a body (RFC 9112 section 2.2).
    private mutating func beginHead() throws(HTTPViolation) {
        guard lines.line.isEmpty else {
            startLine = lines.line
            return
        }
        guard !hasSkippedEmptyLine else { throw .badRequest("empty lines before the message") }
        hasSkippedEmptyLine = true
    }

    /// Reads a header line: a token, a colon right behind it, a value (RFC 9112 section 5).
    ///
    /// A line that begins with a blank would continue the one before (obs-fold), and a blank before the colon is read
    /// differently by different servers: neither name is a token, so both are refused.
    static func field(_ line: [UInt8]) throws(HTTPViolation) -> HTTPHeaders.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .badRequest("header without a colon") }
        let name = line[..<colon]
        guard HTTPSyntax.isToken(name) else { throw .badRequest("the header name is not a token") }
        let value = HTTPSyntax.trimmed(line[(colon + 1)...])
        return HTTPHeaders.Field(name: HTTPSyntax.text(name), value: HTTPSyntax.text(value))
    }
}
