import Model
package import Wire

/// One request and its answer, without I/O: it gives the bytes to send, takes bytes, and gives the result.
/// - Confinement: any
package struct HTTPExchange: Sendable {
    /// The state of the exchange.
    package enum Progress: Sendable, Equatable {
        case incomplete
        /// The answer is complete; the connection may be used again when `isKept`.
        case answered(HTTPResponse, isKept: Bool)
        case failed(HTTPFailure)
    }

    /// The bytes to send.
    package let requestBytes: [UInt8]
    /// Whether a part of an answer has arrived.
    package private(set) var hasBegun = false
    private var parser: HTTPResponseParser
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []
    private var events: [HTTPResponseEvent] = []

    /// An exchange that has not begun.
    /// - Parameters:
    ///   - authority: `host` or `host:port`.
    ///   - basePath: goes before the request's target.
    ///   - bodyBytesMax: The largest body of an answer; a larger one is a failure.
    /// - Throws: when the request cannot be written.
    package init(
        _ request: HTTPRequest,
        authority: String,
        basePath: String = "",
        bodyBytesMax: Int = 64 << 20
    ) throws(HTTPEncodingError) {
        var request = request
        request.target = basePath + request.target
        requestBytes = try request.encoded(host: authority)
        var limits = HTTPLimits()
        limits.bodyBytesMax = bodyBytesMax
        parser = HTTPResponseParser(limits: limits, isHeadRequest: request.method == "HEAD")
    }

    /// Takes the bytes of a read.
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

    /// Returns, once, the part of the answer's body that has arrived: for bodies that are too long to keep.
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
