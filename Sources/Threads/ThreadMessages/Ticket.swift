package import ClientProtocol
package import Execution

/// The request to which an answer belongs.
///
/// - Confinement: any
package enum Ticket: Sendable, Hashable {
    /// A client's command that writes; nil when the client wants no reply.
    case write(RequestID?)
    /// A client's command that only reads.
    case read(RequestID?)
    /// The connection's HTTP request.
    case request
    /// The row of the connection's HTTP request in the audit.
    case audit
    /// The registration of a session's new user.
    case registration
    /// The request to log the changes of a path that the session is about to watch.
    case watchedStream
    /// No request: the answer is not used.
    case none
}

/// The result of a use case: its answer, or the refusal.
package typealias Outcome = Result<EncodedAnswer, Refusal>

extension Outcome {
    /// The bytes of the result or of the refusal.
    package var bodyBytes: Int {
        switch self {
        case .success(let answer): answer.body.count
        case .failure(let refusal): refusal.found?.data?.count ?? 0
        }
    }
}
