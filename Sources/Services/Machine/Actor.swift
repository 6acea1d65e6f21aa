package import Model
import Store

/// Who asks.
///
/// - Confinement: any
package enum Actor: Sendable, Hashable {
    /// A user by number and name, as the session's `hello` found him, with the roles that his token says.
    case user(StreamID, UserID, roles: Set<RoleName> = [])
    /// An operator or a server of the application, by the subject of the admin token.
    case administrator(UserID)
    /// The server itself: schedules.
    case server

    /// The operator, where it is one.
    package var administrator: UserID? {
        guard case .administrator(let subject) = self else { return nil }
        return subject
    }

    /// As the history of documents names who wrote: `user alice`, `admin operator`, `server`.
    var text: String {
        switch self {
        case .user(_, let name, _): "user \(name.text)"
        case .administrator(let subject): "admin \(subject.text)"
        case .server: "server"
        }
    }

    /// Who it is, for the operator's eyes: the name alone.
    var subject: String {
        switch self {
        case .user(_, let name, _), .administrator(let name): name.text
        case .server: "server"
        }
    }
}
