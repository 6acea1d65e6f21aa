/// Why a request has no answer.
/// - Confinement: any
package enum OutboundFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The request cannot be sent, because its URL or a field is not valid; the text says which.
    case unusable(String)
    /// The policy refuses all addresses of the host; this is the last of them.
    case addressRefused(String)
    /// The answer is larger than the request's bound.
    case tooLarge(bytesMax: Int)
    /// The connection was not open, or the answer not complete, in time.
    case timedOut
    /// The certificate is not trusted, or belongs to another host.
    case untrusted(reason: String)
    /// The connection, or this request's stream on it, ended before the answer was complete, with libcurl's code and
    /// its words. Nobody knows whether the server has handled the request.
    ///
    /// A request that may arrive twice can be sent again at once: it goes over a new connection, or a new stream. If
    /// that ends in the same way, wait as after other failures: a server may end every stream.
    case connectionEnded(code: Int, reason: String)
    /// libcurl's code and its words: no such host, connection refused, no HTTP.
    case transfer(code: Int, reason: String)
    /// The client was closed.
    case cancelled

    /// A phrase for logs.
    package var description: String {
        switch self {
        case .unusable(let reason): reason
        case .addressRefused(let address): "\(address) is not a public address; see outbound-allow"
        case .tooLarge(let bytesMax): "the answer is longer than \(bytesMax) bytes"
        case .timedOut: "it took too long"
        case .untrusted(let reason): "the certificate is not trusted: \(reason)"
        case .connectionEnded(_, let reason), .transfer(_, let reason): reason
        case .cancelled: "the request was cancelled"
        }
    }
}
