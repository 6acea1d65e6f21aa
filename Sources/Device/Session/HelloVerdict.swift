import ClientProtocol
import JSON

/// The consequence of the answer to a `hello`, to the first one of a connection or to one with a new token.
/// - Confinement: any
enum HelloVerdict {
    /// The token counts; nil when the answer lacks members.
    case accepted(ClientHello?)
    /// Trying again is of no use.
    case ended(ClientSessionEnd)
    /// Another connection may do better.
    case again
    /// The same, when the server has asked to wait.
    case limited(Int64?)

    /// - Parameter user: The one whose writes and rows this device has; nil when it has none.
    init(_ result: Result<JSONValue, Refusal>, for user: String?, _ retrying: inout Retrying) {
        switch result {
        case .success(let body):
            let hello = ClientHello(body)
            let named = hello?.body["user"]?.stringValue
            if let user, let named, named != user { self = .ended(.otherUser(named)) } else { self = .accepted(hello) }
        case .failure(let refusal):
            switch refusal.code.errorClass {
            case .permanent: self = .ended(.refused(refusal))
            case .auth:
                let mayGoOn = retrying.mayConnectAgain(afterRefusal: refusal.message)
                self = mayGoOn ? .again : .ended(.refused(refusal))
            case .retry: self = .again
            case .limit: self = .limited(refusal.retryAfterMilliseconds)
            }
        }
    }
}
