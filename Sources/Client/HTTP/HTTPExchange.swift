import Model
package import Wire

/// One request and its answer, without I/O: the bytes to send, then bytes in, the outcome out.
/// - Confinement: any
package struct HTTPExchange: Sendable {
    /// How the exchange stands.
    package enum Progress: Sendable, Equatable {
        case incomplete
        /// The answer is whole; the connection may serve another request when `isKept`.
        case answered(HTTPResponse, isKept: Bool)
        case failed(HTTPFailure)
    }

    /// What to send.
    package let requestBytes: [UInt8]
    /// Whether anything of an answer came yet.
    package private(set) var hasBegun = false
    private var parser: HTTPResponseParser
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []
    private var events: [HTTPResponseEvent] = []

    /// An exchange that has not begun.
    /// - Parameters:
    ///   - authority: `host` or `host:port`.
    ///   - bodyBytesMax: of the answer; a longer one fails.
    /// - Throws: when the request cannot be written.
    package init(
        _ request: HTTPRequest,
        authority: String,
        bodyBytesMax: Int = 64 << 20
    ) throws(HTTPEncodingError) {
        requestBytes = try request.encoded(host: authority)
        var limits = HTTPLimits()
        limits.bodyBytesMax = bodyBytesMax
        parser = HTTPResponseParser(limits: limits, isHeadRequest: request.method == "HEAD")
    }

    /// Takes the bytes of one read.
    package mutating func receive(_ bytes: RawSpan) -> Progress {
        hasBegun = true
        parser.receive(bytes, into: &events)
        return progress(connectionEnded: false)
    }

    /// Takes the end of the connection.
    package mutating func receiveEnd() -> Progress {
        parser.receiveEnd(into: &events)
        return progress(connectionEnded: true)
    }

    /// Hands over, once, what has come of the answer's body so far: for bodies too long to be kept.
    package mutating func takeBody() -> [UInt8] {
        let taken = body
        body = []
        return taken
    }

    private mutating func progress(connectionEnded: Bool) -> Progress {
        defer { events.removeAll(keepingCapacity: true) }
        for event in events {
            switch event {
            case .head(let head): self.head = head
            case .body(let bytes): body += bytes
            case .end:
                guard let head else { return .failed(.malformed("the answer has no status line")) }
                let response = HTTPResponse(status: head.status, headers: head.headers, body: takeBody())
                return .answered(response, isKept: !connectionEnded && head.isKeepAlive)
            case .violation(let reason): return .failed(.malformed(reason))
            }
        }
        return .incomplete
    }
}
