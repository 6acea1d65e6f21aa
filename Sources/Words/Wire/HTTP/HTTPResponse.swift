/// A response to send (RFC 9112 section 4). The encoder writes `Content-Length`, `Transfer-Encoding` and `Connection`.
///
/// - Confinement: any
package struct HTTPResponse: Sendable, Hashable {
    /// 200–599; ``WebSocketHandshake`` makes `101`.
    package var status: Int
    /// Header fields except those that frame the message.
    package var headers: HTTPHeaders
    /// The content; empty where the status forbids one (204, 304).
    package var body: [UInt8]

    /// A response with a whole body.
    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The interim answer to `Expect: 100-continue`: the client may now send the body.
    package static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// The whole message.
    ///
    /// - Parameters:
    ///   - isKeepAlive: Whether the connection stays open; false adds `Connection: close`, true `keep-alive`, which
    ///     HTTP/1.0 clients need.
    ///   - isHead: Whether it answers a HEAD request: then it has the length of the body, but not the body.
    ///   - date: The line of ``HTTPDate``; the head ends up without a date where it is empty.
    package func encoded(
        isKeepAlive: Bool, isHead: Bool = false, date: [UInt8] = []
    ) throws(HTTPEncodingError) -> [UInt8] {
        let mayHaveBody = status != 204 && status != 304
        guard mayHaveBody || body.isEmpty else { throw .bodyNotAllowed(status: status) }
        var bytes = try Self.head(status: status, headers: headers, bodyCapacity: isHead ? 0 : body.count)
        bytes.append(contentsOf: date)
        if mayHaveBody { HTTPHeadEncoder.appendLine("Content-Length: ", String(body.count), to: &bytes) }
        let persistence = isKeepAlive ? "keep-alive" : "close"
        if status == 426 {
            // A 426 must name the protocol to upgrade to (RFC 9110 section 15.5.22).
            HTTPHeadEncoder.appendLine("Upgrade: websocket", to: &bytes)
            HTTPHeadEncoder.appendLine("Connection: Upgrade, ", persistence, to: &bytes)
        } else {
            HTTPHeadEncoder.appendLine("Connection: ", persistence, to: &bytes)
        }
        HTTPHeadEncoder.appendLine(to: &bytes)
        if !isHead { bytes.append(contentsOf: body) }
        return bytes
    }

    /// The head of a response whose content follows in pieces, each as an ``HTTPChunk``.
    ///
    /// - Parameter version: The request's version. An HTTP/1.0 client does not know chunks: it gets the plain pieces,
    ///   and the end of the connection ends the body.
    package static func streamHead(
        status: Int = 200,
        headers: HTTPHeaders,
        version: HTTPVersion = .http11
    ) throws(HTTPEncodingError) -> [UInt8] {
        guard status != 204, status != 304 else { throw .bodyNotAllowed(status: status) }
        var bytes = try head(status: status, headers: headers, bodyCapacity: 0)
        switch version {
        case .http11: HTTPHeadEncoder.appendLine("Transfer-Encoding: chunked", to: &bytes)
        case .http10: HTTPHeadEncoder.appendLine("Connection: close", to: &bytes)
        }
        HTTPHeadEncoder.appendLine(to: &bytes)
        return bytes
    }

    /// The head of a stream of Server-Sent Events, which caches and buffering proxies must not hold back.
    package static func eventStreamHead(
        headers: HTTPHeaders = [:],
        version: HTTPVersion = .http11
    ) throws(HTTPEncodingError) -> [UInt8] {
        var headers = headers
        headers.append("Content-Type", "text/event-stream")
        headers.append("Cache-Control", "no-store")
        headers.append("X-Accel-Buffering", "no")
        return try streamHead(headers: headers, version: version)
    }

    private static func head(
        status: Int,
        headers: HTTPHeaders,
        bodyCapacity: Int
    ) throws(HTTPEncodingError) -> [UInt8] {
        guard (200...599).contains(status) else { throw .invalidStatus(status) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256 + bodyCapacity)
        HTTPHeadEncoder.appendLine("HTTP/1.1 ", String(status), " ", HTTPStatus.reason(status), to: &bytes)
        try HTTPHeadEncoder.append(headers, to: &bytes)
        return bytes
    }
}
