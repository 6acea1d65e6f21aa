/// Reads the length of a body from the header fields (RFC 9112 sections 6.1 to 6.3), so strictly that no proxy in front
/// can have read it differently.
///
/// - Confinement: any
enum HTTPFraming {
    /// The length of a request's body in bytes: 0 if it has none, nil if it comes in chunks.
    static func contentLength(_ headers: HTTPHeaders, version: HTTPVersion) throws(HTTPViolation) -> Int? {
        let isChunked = try isChunked(headers, version: version)
        let length = try announcedLength(headers)
        guard isChunked else { return length ?? 0 }
        guard length == nil else { throw .badRequest("both Content-Length and Transfer-Encoding") }
        return nil
    }

    /// The number in the one `Content-Length` field, if there is one. A second field is refused even if it is equal.
    static func announcedLength(_ headers: HTTPHeaders) throws(HTTPViolation) -> Int? {
        let lengths = headers.values("Content-Length")
        guard lengths.count <= 1 else { throw .badRequest("more than one Content-Length field") }
        guard let length = lengths.first else { return nil }
        guard let count = HTTPSyntax.decimal(length.utf8) else { throw .badRequest("invalid Content-Length") }
        return count
    }

    /// Whether the body comes in chunks: `Transfer-Encoding` is absent or exactly `chunked`.
    ///
    /// If `chunked` is the last of several codings, the framing is known and the other coding is not: 501. In all other
    /// cases the framing is doubtful: 400.
    static func isChunked(_ headers: HTTPHeaders, version: HTTPVersion) throws(HTTPViolation) -> Bool {
        let codings = headers.values("Transfer-Encoding")
        guard let coding = codings.first else { return false }
        guard version == .http11 else { throw .badRequest("Transfer-Encoding in HTTP/1.0") }
        if codings.count == 1, HTTPSyntax.isEqualIgnoringCase(coding, "chunked") { return true }
        let members = headers.list("Transfer-Encoding")
        let isLastAlone =
            members.last.map { HTTPSyntax.isEqualIgnoringCase($0, "chunked") } == true
            && !members.dropLast().contains { HTTPSyntax.isEqualIgnoringCase($0, "chunked") }
        guard isLastAlone, members.count > 1 else { throw .badRequest("Transfer-Encoding does not end with chunked") }
        throw HTTPViolation(501, "only the chunked transfer coding is implemented")
    }
}
