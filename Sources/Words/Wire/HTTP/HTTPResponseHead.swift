/// The checked head of a received response (RFC 9112 section 4).
///
/// - Confinement: any
package struct HTTPResponseHead: Sendable, Hashable {
    /// 100–599.
    package let status: Int
    /// The phrase after the status; it may be empty and has no meaning.
    package let reason: String
    /// The server's version.
    package let version: HTTPVersion
    /// All header fields.
    package let headers: HTTPHeaders

    /// Whether the connection stays open after the response, unless its body ended with it.
    package var isKeepAlive: Bool {
        if headers.listContains("Connection", "close") { return false }
        return version == .http11 || headers.listContains("Connection", "keep-alive")
    }

    init(_ line: HTTPStatusLine, headers: HTTPHeaders) {
        status = line.status
        reason = line.reason
        version = line.version
        self.headers = headers
    }

    /// The framing of the body (RFC 9112 section 6.3), as strict as for requests.
    func framing(isHeadRequest: Bool) throws(HTTPViolation) -> HTTPBodyReader.Framing {
        let isChunked = try HTTPFraming.isChunked(headers, version: version)
        let length = try HTTPFraming.announcedLength(headers)
        guard !isChunked || length == nil else { throw .badRequest("both Content-Length and Transfer-Encoding") }
        if isHeadRequest || status == 101 || status == 204 || status == 304 { return .length(0) }
        if isChunked { return .chunked }
        return length.map { .length($0) } ?? .untilClose
    }
}
