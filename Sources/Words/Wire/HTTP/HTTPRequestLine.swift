import Model

/// `METHOD TARGET VERSION`, separated by exactly one blank (RFC 9112 section 3).
///
/// - Confinement: any
struct HTTPRequestLine: HTTPStartLine {
    /// The longest registered method has 17 letters; a longer one than this is certainly unknown.
    private static let methodBytesMax = 32

    let method: String
    let target: HTTPTarget
    let version: HTTPVersion

    var heldBytes: Int { target.heldBytes }

    /// Room for the longest method and target; a longer line has too long a target.
    static func bytesMax(_ limits: HTTPLimits) -> Int {
        methodBytesMax + limits.targetBytesMax + "  HTTP/1.1".utf8.count
    }

    static let overflow = HTTPViolation(414, "the request target is too long")

    init(_ line: [UInt8], limits: HTTPLimits) throws(HTTPViolation) {
        let parts = line.split(separator: HTTPSyntax.space, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .badRequest("the request line is not METHOD TARGET VERSION") }
        guard HTTPSyntax.isToken(parts[0]) else { throw .badRequest("the method is not a token") }
        guard parts[0].count <= Self.methodBytesMax else { throw HTTPViolation(501, "the method is not implemented") }
        guard let version = HTTPVersion(parts[2]) else { throw Self.versionViolation(parts[2]) }
        method = HTTPSyntax.text(parts[0])
        guard method != "CONNECT" else { throw HTTPViolation(501, "CONNECT is not implemented") }
        guard parts[1].count <= limits.targetBytesMax else { throw Self.overflow }
        target = try HTTPTarget(parts[1], method: method)
        self.version = version
    }

    /// 505 for `HTTP/2.0` and similar versions; other texts are not versions.
    private static func versionViolation(_ bytes: ArraySlice<UInt8>) -> HTTPViolation {
        let digits = bytes.dropFirst(5)
        let isVersion =
            bytes.starts(with: "HTTP/".utf8) && digits.count == 3 && digits.dropFirst().first == UInt8(ascii: ".")
            && HTTPSyntax.decimal(digits.prefix(1)) != nil && HTTPSyntax.decimal(digits.suffix(1)) != nil
        return isVersion
            ? HTTPViolation(505, "only HTTP/1.1 and HTTP/1.0 are spoken here") : .badRequest("invalid HTTP version")
    }
}
