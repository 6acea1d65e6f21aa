package import Model

/// What an ``HTTPResponseParser`` found in the bytes it received.
///
/// - Confinement: any
package enum HTTPResponseEvent: Sendable, Hashable {
    /// A final response's head, or that of a switch of protocols (101).
    case head(HTTPResponseHead)
    /// The next piece of its body.
    case body([UInt8])
    /// The response is whole. The parser stops here until ``HTTPResponseParser/nextResponse(isHeadRequest:into:)``.
    case end
    /// The server broke the protocol or passed a limit. It is the last event: the owner ends the connection.
    case violation(reason: String)
}

/// Reads the responses of one connection on a client (RFC 9112): bytes in, events out.
///
/// Interim responses (1xx but 101) are skipped. After `.end` the parser keeps the following bytes: a server's first
/// WebSocket frames after a 101 are taken by ``takeRemainder()``. Anything else there was not asked for, because a
/// client of this room sends its next request after the response.
///
/// - Confinement: any
package struct HTTPResponseParser: Sendable {
    private enum Stage: Sendable {
        case waitingForHead, waitingForBody, ended, failed
    }

    /// Interim responses in a row that are taken before one final: more is a server that answers for ever.
    private static let interimCountMax = 16

    /// The bounds this parser keeps.
    package let limits: HTTPLimits
    private var stage = Stage.waitingForHead
    private var isHeadRequest: Bool
    private var interimCount = 0
    private var head: HTTPHeadReader<HTTPStatusLine>
    private var body: HTTPBodyReader?
    private var held: [UInt8] = []

    /// A parser for a new connection.
    ///
    /// - Parameter isHeadRequest: whether the request was HEAD, whose response has no body whatever its head says.
    package init(limits: HTTPLimits = HTTPLimits(), isHeadRequest: Bool = false) {
        self.limits = limits
        self.isHeadRequest = isHeadRequest
        head = HTTPHeadReader(limits: limits)
    }

    /// Takes the bytes of one read and appends what they complete to `events`.
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

    /// Says that the server has closed the connection: the end of a body that ends with it, a violation in the midst of
    /// anything else, nothing between responses.
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

    /// Makes ready for the response to the next request, which is being sent.
    ///
    /// - Parameter isHeadRequest: whether that request is HEAD.
    package mutating func nextResponse(isHeadRequest: Bool = false, into events: inout [HTTPResponseEvent]) {
        precondition(stage == .ended || stage == .failed, "the current response has not ended")
        guard stage == .ended else { return }
        guard held.isEmpty else {
            fail(.badRequest("a response to no request"), into: &events)
            return
        }
        self.isHeadRequest = isHeadRequest
        interimCount = 0
        stage = .waitingForHead
    }

    /// Hands over, once, the bytes after the response: what the server sent after switching protocols.
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
        var content: [UInt8] = []
        do throws(HTTPViolation) {
            try body?.next(bytes, at: &offset, onto: &content)
        } catch {
            if !content.isEmpty { events.append(.body(content)) }
            throw error
        }
        if !content.isEmpty { events.append(.body(content)) }
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
