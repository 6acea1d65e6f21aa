/// The versions of HTTP taken here.
///
/// - Confinement: any
package enum HTTPVersion: Sendable, Hashable {
    case http10, http11

    init?(_ bytes: ArraySlice<UInt8>) {
        if bytes.elementsEqual("HTTP/1.1".utf8) {
            self = .http11
        } else if bytes.elementsEqual("HTTP/1.0".utf8) {
            self = .http10
        } else {
            return nil
        }
    }
}

/// The head of a request, checked (RFC 9112 section 3).
///
/// - Confinement: any
package struct HTTPRequestHead: Sendable, Hashable {
    /// The method as sent: a token, in its case.
    package let method: String
    /// What the request asks for.
    package let target: HTTPTarget
    /// The version the client speaks.
    package let version: HTTPVersion
    /// All header fields.
    package let headers: HTTPHeaders
    /// Bytes of the body that follows; 0 if there is none, nil if it comes in chunks.
    package let contentLength: Int?

    /// The path as it was sent, without the query.
    package var path: String { target.path }
    /// The path's decoded segments.
    package var pathSegments: [String] { target.segments }
    /// The decoded items of the query.
    package var query: [HTTPTarget.QueryItem] { target.query }
    /// `host` or `host:port`: the absolute target's, else the `Host` field's; nil only in HTTP/1.0.
    package var authority: String? { target.authority ?? headers["Host"] }
    /// Whether a body follows.
    package var hasBody: Bool { contentLength != 0 }

    /// Whether the connection stays open behind the response (RFC 9112 section 9.3).
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
    init(startLine: [UInt8], headers: HTTPHeaders, limits: HTTPLimits) throws(HTTPViolation) {
        let parts = startLine.split(separator: HTTPSyntax.space, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .badRequest("the request line is not METHOD TARGET VERSION") }
        try Self.checkMethod(parts[0])
        guard let version = HTTPVersion(parts[2]) else { throw Self.versionViolation(parts[2]) }
        method = HTTPSyntax.text(parts[0])
        guard method != "CONNECT" else { throw HTTPViolation(501, "CONNECT is not implemented") }
        guard parts[1].count <= limits.targetBytesMax else { throw Self.targetTooLong }
        target = try HTTPTarget(parts[1], method: method)
        self.version = version
        self.headers = headers
        try Self.checkHost(headers, version: version)
        contentLength = try HTTPFraming.contentLength(headers, version: version)
        let expectations = headers.values("Expect")
        guard expectations.allSatisfy({ HTTPSyntax.isEqualIgnoringCase($0, "100-continue") }) else {
            throw HTTPViolation(417, "the expectation is not known")
        }
    }

    static let targetTooLong = HTTPViolation(414, "the request target is too long")

    /// The longest method with a name in the registry has 17 letters; a longer one is unknown for sure.
    static let methodBytesMax = 32

    private static func checkMethod(_ bytes: ArraySlice<UInt8>) throws(HTTPViolation) {
        guard HTTPSyntax.isToken(bytes) else { throw .badRequest("the method is not a token") }
        guard bytes.count <= methodBytesMax else { throw HTTPViolation(501, "the method is not implemented") }
    }

    /// `HTTP/2.0` and its like are 505, anything else is no version.
    private static func versionViolation(_ bytes: ArraySlice<UInt8>) -> HTTPViolation {
        let digits = bytes.dropFirst(5)
        let isVersion =
            bytes.starts(with: "HTTP/".utf8) && digits.count == 3 && digits.dropFirst().first == UInt8(ascii: ".")
            && HTTPSyntax.decimal(digits.prefix(1)) != nil && HTTPSyntax.decimal(digits.suffix(1)) != nil
        return isVersion
            ? HTTPViolation(505, "only HTTP/1.1 and HTTP/1.0 are spoken here") : .badRequest("invalid HTTP version")
    }

    /// Exactly one `Host` in HTTP/1.1, at most one in 1.0, and a valid one (RFC 9112 section 3.2).
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
