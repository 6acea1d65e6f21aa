/// How a WebSocket ended.
/// - Confinement: any
package enum TransportEnd: Sendable, Hashable, CustomStringConvertible {
    /// The server closed with a close frame; `code` is nil when the frame had none.
    case closed(code: UInt16?, reason: String)
    /// The server answered the upgrade with an ordinary response.
    case refused(status: Int)
    /// The answer to the upgrade is not a valid handshake.
    case badHandshake(String)
    /// The server broke the WebSocket protocol.
    case violation(String)
    /// TLS failed, at its start or later: a sentence for people, and whether the certificate was refused.
    case encryption(String, isCertificate: Bool)
    /// The connection broke, or was never open: the system's sentence, nil when it ended without an error.
    case lost(String?)

    /// A sentence for people.
    package var description: String {
        switch self {
        case .closed(let code?, let reason): "closed by the server with \(code) \(reason)"
        case .closed(nil, _): "closed by the server without a code"
        case .refused(let status): "the upgrade was refused with status \(status)"
        case .badHandshake(let reason): "the handshake is not valid: \(reason)"
        case .violation(let reason): "the server broke the WebSocket protocol: \(reason)"
        case .encryption(let sentence, _): sentence
        case .lost(let sentence?): sentence
        case .lost(nil): "the connection ended"
        }
    }
}
