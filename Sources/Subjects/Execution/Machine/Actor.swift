package import Model
import Store

/// The user or program that asks.
///
/// - Confinement: any
package enum Actor: Sendable, Hashable {
    /// A user by number and name, as the session's `hello` found them, with the roles of the token.
    case user(StreamID, UserID, roles: Set<RoleName> = [])
    /// An operator or a server of the application, by the subject of the admin token.
    case administrator(UserID)
    /// The server itself: schedules.
    case server

    /// The operator; nil for all others.
    package var administrator: UserID? {
        guard case .administrator(let subject) = self else { return nil }
        return subject
    }

    /// The name of the writer in the history of documents: `user alice`, `admin operator`, `server`.
    package var text: String {
        switch self {
        case .user(_, let name, _): "user \(name.text)"
        case .administrator(let subject): "admin \(subject.text)"
        case .server: "server"
        }
    }

    /// The name alone, as operators see it.
    package var subject: String {
        switch self {
        case .user(_, let name, _), .administrator(let name): name.text
        case .server: "server"
        }
    }
}
