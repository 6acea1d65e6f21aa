package import Model

/// Something that an ``HTTPResponseParser`` has found in the received bytes.
///
/// - Confinement: any
package enum HTTPResponseEvent: Sendable, Hashable {
    /// A final response's head, or that of a switch of protocols (101).
    case head(HTTPResponseHead)
    /// The next piece of its body.
    case body([UInt8])
    /// The response is complete. The parser stops here until ``HTTPResponseParser/nextResponse(isHeadRequest:into:)``.
    case end
    /// The server broke the protocol or exceeded a limit. This is the last event: the owner ends the connection.
    case violation(reason: String)
}

/// Reads the responses of one connection on a client (RFC 9112): bytes in, events out.
///
/// Interim responses (1xx except 101) are skipped. After `.end` the parser keeps the following bytes: after a 101 they
/// are a server's first WebSocket frames, see ``takeRemainder()``. Otherwise nobody asked for them, because a client of
/// this module sends its next request only after the response.
///
/// - Confinement: any
package struct HTTPResponseParser: Sendable {
    private enum Stage: Sendable {
        case waitingForHead, waitingForBody, ended, failed
    }

    /// The most interim responses before a final one: a server with more would answer for ever.
    private static let interimCountMax = 16

    /// The limits of this parser.
    package let limits: HTTPLimits
    private var stage = Stage.waitingForHead
    private var isHeadRequest: Bool
    private var interimCount = 0
    private var head: HTTPHeadReader<HTTPStatusLine>
    private var body: HTTPBodyReader?
    private var held: [UInt8] = []

    /// A parser for a new connection.
    ///
    /// - Parameter isHeadRequest: Whether the request was HEAD, whose response never has a body.
    package init(limits: HTTPLimits = HTTPLimits(), isHeadRequest: Bool = false) {
        self.limits = limits
        self.isHeadRequest = isHeadRequest
        head = HTTPHeadReader(limits: limits)
    }

    /// Takes the bytes of one read and appends the events that they complete.
    package mutating func receive(_ bytes: RawSpan, into events: inout [HTTPResponseEvent]) {
        var offset = 0
        do throws(HTTPViolation) {
            while offset < bytes.byteCount {
                switch stage {
                case .waitingForHead:
                    try receiveHead(bytes, at: &offset, into: &events)
                case .waitingForBody:
                    try receiveBody(bytes, at: &offset, into: &events)
                case .ended:
                    try hold(bytes.extracting(droppingFirst: offset))
                    return
                case .failed:
                    return
                }
            }
        } catch {
            fail(error, into: &events)
        }
    }

    /// Takes bytes that are in an array; see ``receive(_:into:)``.
    package mutating func receive(_ bytes: [UInt8], into events: inout [HTTPResponseEvent]) {
        bytes.withRawSpan { receive($0, into: &events) }
    }

    /// Notes that the server has closed the connection: this may be the end of a body; between responses it means
    /// nothing, and everywhere else it is a violation.
    package mutating func receiveEnd(into events: inout [HTTPResponseEvent]) {
        switch stage {
        case .waitingForBody where body?.endsWithConnection == true:
            endResponse(into: &events)
        case .waitingForBody:
            fail(.badRequest("the connection ended inside the response"), into: &events)
        case .waitingForHead:
            fail(.badRequest("the connection ended before the response"), into: &events)
        case .ended, .failed:
            break
        }
    }

    /// Returns, once, the bytes after the response: those that the server sent after switching protocols.
    package mutating func takeRemainder() -> [UInt8] {
        let bytes = held
        held = []
        return bytes
    }

    private mutating func receiveHead(
        _ bytes: RawSpan,
        at offset: inout Int,
        into events: inout [HTTPResponseEvent]
    ) throws(HTTPViolation) {
        guard let (line, headers) = try head.next(bytes, at: &offset) else { return }
        head = HTTPHeadReader(limits: limits)
        let response = HTTPResponseHead(line, headers: headers)
        if response.status < 200, response.status != 101 {
            interimCount += 1
            guard interimCount <= Self.interimCountMax else { throw .badRequest("too many interim responses") }
            return
        }
        let body = try HTTPBodyReader(response.framing(isHeadRequest: isHeadRequest), limits: limits)
        events.append(.head(response))
        if body.isEnded {
            endResponse(into: &events)
        } else {
            self.body = body
            stage = .waitingForBody
        }
    }

    private mutating func receiveBody(
        _ bytes: RawSpan,
        at offset: inout Int,
        into events: inout [HTTPResponseEvent]
    ) throws(HTTPViolation) {
        do {
            var content: [UInt8] = []
            defer { if !content.isEmpty { events.append(.body(content)) } }
            try body?.next(bytes, at: &offset, onto: &content)
        }
        if body?.isEnded == true { endResponse(into: &events) }
    }

    private mutating func endResponse(into events: inout [HTTPResponseEvent]) {
        body = nil
        stage = .ended
        events.append(.end)
    }

    private mutating func hold(_ bytes: RawSpan) throws(HTTPViolation) {
        guard bytes.byteCount <= limits.pipelinedBytesMax - held.count else {
            throw .badRequest("too much sent after the response")
        }
        held.append(copying: bytes)
    }

    private mutating func fail(_ violation: HTTPViolation, into events: inout [HTTPResponseEvent]) {
        stage = .failed
        held = []
        body = nil
        head = HTTPHeadReader(limits: limits)
        events.append(.violation(reason: violation.reason))
    }
}
