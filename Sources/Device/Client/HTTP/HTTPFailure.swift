package import EventLoop
package import Wire

/// Why a request has no answer. An answer with an error status is an answer.
/// - Confinement: any
package enum HTTPFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server could not be reached, or the connection broke.
    case connection(UVError)
    /// TLS failed, at its start or later.
    case encryption(EncryptionFailure)
    /// The server ended the connection without an answer.
    case ended
    /// This side closed the connection.
    case cancelled
    /// No complete answer within the time.
    case timedOut(milliseconds: Int64)
    /// The bytes are not an HTTP answer, or it is too long.
    case malformed(String)
    /// The request is not valid.
    case unsendable(HTTPEncodingError)

    /// A sentence for people.
    package var description: String {
        switch self {
        case .connection(let error): error.message
        case .encryption(let failure): failure.description
        case .ended: "the server ended the connection without an answer"
        case .cancelled: "the connection was closed"
        case .timedOut(let milliseconds): "no answer within \(milliseconds) ms"
        case .malformed(let reason): "the answer is not valid HTTP: \(reason)"
        case .unsendable(let error): "the request cannot be sent: \(error)"
        }
    }
}
