/// How a peer broke RFC 9110 or 9112 or exceeded a limit, with the status for the answer.
///
/// - Confinement: any
package struct HTTPViolation: Error, Sendable, Hashable {
    /// 400, 413, 414, 417, 431, 501 or 505. A client cannot answer and uses only the reason.
    package let status: Int
    /// A short ASCII sentence for the answer and the log; it never quotes the peer.
    package let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    static func badRequest(_ reason: String) -> HTTPViolation { HTTPViolation(400, reason) }
}
