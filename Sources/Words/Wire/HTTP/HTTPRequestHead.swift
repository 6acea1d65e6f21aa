/// The head of a request, checked (RFC 9112 section 3).
///
/// - Confinement: any
package struct HTTPRequestHead: Sendable, Hashable {
    /// The method, a token in its original case.
    package let method: String
    /// The target of the request.
    package let target: HTTPTarget
    /// The client's version.
    package let version: HTTPVersion
    /// All header fields.
    package let headers: HTTPHeaders
    /// The length of the body in bytes; 0 if there is none, nil if it comes in chunks.
    package let contentLength: Int?

    /// The path as sent, without the query.
    package var path: String { target.path }
    /// The path's decoded segments.
    package var pathSegments: [String] { target.segments }
    /// The decoded items of the query.
    package var query: [HTTPTarget.QueryItem] { target.query }
    /// `host` or `host:port`: the absolute target's, else the `Host` field's; nil only in HTTP/1.0.
    package var authority: String? { target.authority ?? headers["Host"] }
    /// An estimate of the bytes that its texts take.
    package var heldBytes: Int {
        target.heldBytes + headers.heldBytes
    }
    /// Whether a body follows.
    package var hasBody: Bool { contentLength != 0 }

    /// Whether the connection stays open after the response (RFC 9112 section 9.3).
    package var isKeepAlive: Bool {
        if headers.listContains("Connection", "close") { return false }
        return version == .http11 || headers.listContains("Connection", "keep-alive")
    }

    /// Whether the client waits for `100 Continue` (``HTTPResponse/continueBytes``) or a refusal before it sends the
    /// body (RFC 9110 section 10.1.1). HTTP/1.0 clients do not.
    package var expectsContinue: Bool {
        version == .http11 && hasBody && headers["Expect"] != nil
    }

    /// Checks a head and finds how its body is framed.
    init(_ line: HTTPRequestLine, headers: HTTPHeaders) throws(HTTPViolation) {
        method = line.method
        target = line.target
        version = line.version
        self.headers = headers
        try Self.checkHost(headers, version: version)
        for name in Self.onceNames
        where headers.fields.count(where: { HTTPSyntax.isEqualIgnoringCase($0.name, name) }) > 1 {
            throw .badRequest("more than one \(name) field")
        }
        contentLength = try HTTPFraming.contentLength(headers, version: version)
        let expectations = headers.values("Expect")
        guard expectations.allSatisfy({ HTTPSyntax.isEqualIgnoringCase($0, "100-continue") }) else {
            throw HTTPViolation(417, "the expectation is not known")
        }
    }

    /// Fields that decide who may do what. Two readers of one request must not take different ones for it (RFC 9110 section 5.3).
    private static let onceNames = ["Authorization", "Origin", "Idempotency-Key"]

    /// Checks that there is exactly one `Host` in HTTP/1.1, at most one in 1.0, and that it is valid (RFC 9112 section
    /// 3.2).
    private static func checkHost(_ headers: HTTPHeaders, version: HTTPVersion) throws(HTTPViolation) {
        let hosts = headers.values("Host")
        guard hosts.count <= 1 else { throw .badRequest("more than one Host field") }
        guard let host = hosts.first else {
            guard version == .http10 else { throw .badRequest("the Host field is missing") }
            return
        }
        guard HTTPAuthority.isValid(Array(host.utf8)[...]) else { throw .badRequest("invalid Host field") }
    }
}
