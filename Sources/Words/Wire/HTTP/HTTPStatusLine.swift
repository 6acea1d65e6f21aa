import Model

/// `VERSION STATUS REASON`; the reason and its blank may be missing (RFC 9112 section 4).
///
/// - Confinement: any
struct HTTPStatusLine: HTTPStartLine {
    let version: HTTPVersion
    let status: Int
    let reason: String

    var heldBytes: Int { reason.heldBytes }

    /// Reasons are a few words, and nobody shows them.
    static func bytesMax(_ limits: HTTPLimits) -> Int { 1_024 }

    static let overflow = HTTPViolation.badRequest("the status line is too long")

    init(_ line: [UInt8], limits: HTTPLimits) throws(HTTPViolation) {
        let parts = line.split(separator: HTTPSyntax.space, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let version = HTTPVersion(parts[0]), parts[1].count == 3,
            let status = HTTPSyntax.decimal(parts[1]), (100...599).contains(status)
        else { throw .badRequest("invalid status line") }
        self.version = version
        self.status = status
        reason = parts.count == 3 ? HTTPSyntax.text(parts[2]) : ""
    }
}
