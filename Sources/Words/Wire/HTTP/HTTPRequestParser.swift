package import Model

/// Something that an ``HTTPRequestParser`` has found in the received bytes.
///
/// - Confinement: any
package enum HTTPRequestEvent: Sendable, Hashable {
    /// A request's head.
    case head(HTTPRequestHead)
    /// The next piece of its body.
    case body([UInt8])
    /// The request is complete. The parser stops here until ``HTTPRequestParser/nextRequest(into:)``.
    case end
    /// The client broke the protocol or exceeded a limit. This is the last event: the owner answers with `status` and
    /// `Connection: close`, after the answers to earlier requests, and ends the connection.
    case violation(status: Int, reason: String)
}

/// Reads the requests of one connection (RFC 9112): bytes in, events out.
///
/// After `.end` the parser stops and only keeps the following bytes. So the owner has at most one request at a time,
/// answers in order without a queue, and back-pressure is one rule: *stop reading at `.end`; when the response is
/// written, call ``nextRequest(into:)``, and read on unless it brought another `.end`.* If the request was an upgrade,
/// the following bytes belong to the new protocol: ``takeRemainder()``.
///
/// After a violation nothing more is parsed, because the beginning of the next request is no longer known.
///
/// - Confinement: any
package struct HTTPRequestParser: Sendable {
    private enum Stage: Sendable {
        case waitingForHead, waitingForBody, waitingForNextRequest, failed
    }

    /// The limits of this parser.
    package let limits: HTTPLimits
    private var stage = Stage.waitingForHead
    private var head: HTTPHeadReader<HTTPRequestLine>
    private var body: HTTPBodyReader?
    /// The bytes after the current request, from `heldStart` on. They stay in place from request to request, so that
    /// many small ones in one read are not copied again and again.
    private var held: [UInt8] = []
    private var heldStart = 0

    /// A parser for a new connection.
    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        head = HTTPHeadReader(limits: limits)
    }

    /// Whether the connection is between requests, without any byte of the next one: then it may be closed without
    /// harm, and the time limit of a request has not begun.
    package var isBetweenRequests: Bool {
        stage == .waitingForHead && head.isEmpty
    }

    /// Bytes kept: an incomplete head, and everything after the current request.
    package var heldBytes: Int { head.heldBytes + held.capacity }

    /// Takes the bytes of one read and appends the events that they complete.
    package mutating func receive(_ bytes: RawSpan, into events: inout [HTTPRequestEvent]) {
        let offset = parse(bytes, from: 0, into: &events)
        guard stage == .waitingForNextRequest, offset < bytes.byteCount else { return }
        held.removeFirst(heldStart)
        heldStart = 0
        guard bytes.byteCount - offset <= limits.pipelinedBytesMax - held.count else {
            fail(.badRequest("too much sent before the answer"), into: &events)
            return
        }
        held.append(copying: bytes.extracting(droppingFirst: offset))
    }

    /// Takes bytes that are in an array; see ``receive(_:into:)``.
    package mutating func receive(_ bytes: [UInt8], into events: inout [HTTPRequestEvent]) {
        bytes.withRawSpan { receive($0, into: &events) }
    }

    /// Continues after a finished request, with the bytes of the next one that are already here.
    ///
    /// Does nothing after a violation.
    package mutating func nextRequest(into events: inout [HTTPRequestEvent]) {
        precondition(stage == .waitingForNextRequest || stage == .failed, "the current request has not ended")
        guard stage == .waitingForNextRequest else { return }
        stage = .waitingForHead
        let bytes = held
        held = []
        let end = bytes.withRawSpan { parse($0, from: heldStart, into: &events) }
        heldStart = 0
        if stage == .waitingForNextRequest, end < bytes.count {
            held = bytes
            heldStart = end
        }
    }

    /// Returns, once, the bytes after a finished request: those that the peer sent after an upgrade's head.
    package mutating func takeRemainder() -> [UInt8] {
        let bytes = Array(held.dropFirst(heldStart))
        held = []
        heldStart = 0
        return bytes
    }

    /// Reads from `offset` up to the end of the current request and returns that place.
    private mutating func parse(_ bytes: RawSpan, from start: Int, into events: inout [HTTPRequestEvent]) -> Int {
        var offset = start
        do throws(HTTPViolation) {
            while offset < bytes.byteCount {
                switch stage {
                case .waitingForHead: try receiveHead(bytes, at: &offset, into: &events)
                case .waitingForBody: try receiveBody(bytes, at: &offset, into: &events)
                case .waitingForNextRequest, .failed: return offset
                }
            }
        } catch {
            fail(error, into: &events)
        }
        return offset
    }

    /// Drops all kept bytes and makes the violation the last event.
    private mutating func fail(_ violation: HTTPViolation, into events: inout [HTTPRequestEvent]) {
        stage = .failed
        held = []
        heldStart = 0
        head = HTTPHeadReader(limits: limits)
        body = nil
        events.append(.violation(status: violation.status, reason: violation.reason))
    }

    private mutating func receiveHead(
        _ bytes: RawSpan,
        at offset: inout Int,
        into events: inout [HTTPRequestEvent]
    ) throws(HTTPViolation) {
        guard let (line, headers) = try head.next(bytes, at: &offset) else { return }
        head = HTTPHeadReader(limits: limits)
        let request = try HTTPRequestHead(line, headers: headers)
        let body = try HTTPBodyReader(request.contentLength.map { .length($0) } ?? .chunked, limits: limits)
        events.append(.head(request))
        if body.isEnded {
            endRequest(into: &events)
        } else {
            self.body = body
            stage = .waitingForBody
        }
    }

    private mutating func receiveBody(
        _ bytes: RawSpan,
        at offset: inout Int,
        into events: inout [HTTPRequestEvent]
    ) throws(HTTPViolation) {
        // Content before a violation belongs to the body in any case, so that events do not depend on how bytes were
        // cut.
        do {
            var content: [UInt8] = []
            defer { if !content.isEmpty { events.append(.body(content)) } }
            try body?.next(bytes, at: &offset, onto: &content)
        }
        guard body?.isEnded == true else { return }
        body = nil
        endRequest(into: &events)
    }

    private mutating func endRequest(into events: inout [HTTPRequestEvent]) {
        stage = .waitingForNextRequest
        events.append(.end)
    }
}
