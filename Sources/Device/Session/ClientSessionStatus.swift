import ClientProtocol
import Model

/// The state of a session as an application shows it.
/// - Confinement: any
package enum ClientSessionStatus: Sendable, Equatable {
    case idle
    /// A connection is being made, or ended.
    case connecting
    /// Missed events come.
    case catchingUp
    /// The device has everything.
    case live
    /// The next attempt is at a time of the owner's clock, the `attempt`th since the session was live.
    case waiting(until: Int64, attempt: Int)
    /// The system says that there is no network.
    case offline
    /// There is no token, or none is accepted.
    case signedOut(reason: String?)
    /// The server, or its certificate, forbids another attempt: the code of the close or of the refusal.
    case blocked(code: String?, reason: String?)
    case closed
}

extension ClientSessionState {
    /// The state as an application shows it.
    package var status: ClientSessionStatus {
        if isRefused { return .signedOut(reason: retrying.refusal) }
        return switch phase {
        case .idle: .idle
        case .offline: .offline
        case .waiting(let wait): .waiting(until: wait.until, attempt: attempt)
        case .connecting, .waitingForHello, .disconnecting: .connecting
        case .online(let online): online.isLive && online.fetchedAt == nil ? .live : .catchingUp
        case .ended(let end): ClientSessionStatus(after: end, of: configuration.user)
        }
    }
}

extension ClientSessionStatus {
    /// How an ended session is shown.
    fileprivate init(after end: ClientSessionEnd, of user: String?) {
        self =
            switch end {
            case .noToken: .signedOut(reason: nil)
            case .stopped: .closed
            case .otherUser(let other):
                .blocked(
                    code: "other-user",
                    reason: "the token belongs to \(other), not to \(user ?? "anybody else")")
            case .refused(let refusal) where refusal.code.errorClass == .auth: .signedOut(reason: refusal.message)
            case .refused(let refusal): .blocked(code: refusal.code.rawValue, reason: refusal.message)
            case .transport(.closed(CloseCode.unauthenticated.rawValue, let reason)): .signedOut(reason: reason)
            case .transport(.closed(let code?, let reason)) where (4400...4499).contains(code):
                .blocked(code: String(code), reason: reason)
            case .transport(.closed), .transport(.lost), .transport(.violation): .closed
            case .transport: .blocked(code: nil, reason: nil)
            }
    }
}
