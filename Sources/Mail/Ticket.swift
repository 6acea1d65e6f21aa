package import ClientProtocol
package import Services

/// What the answer is to.
///
/// - Confinement: any
package enum Ticket: Sendable, Hashable {
    /// A client's command that writes; nil when it wants no reply.
    case write(RequestID?)
    /// A client's command that only reads.
    case read(RequestID?)
    /// The connection's HTTP request.
    case request
    /// The session made its user known.
    case registration
    /// The session has the changes logged that it is about to watch.
    case watchedStream
    /// Nobody waits.
    case none
}

/// How a use case ended: its answer, or why there is none.
package typealias Outcome = Result<EncodedAnswer, Refusal>

extension Outcome {
    /// Bytes of what was read or written, or of what stands in the way.
    package var bodyBytes: Int {
        switch self {
        case .success(let answer): answer.body.count
        case .failure(let refusal): refusal.found?.data?.count ?? 0
        }
    }
}
