import ClientProtocol
import Model
import Notifying

/// `/v1/users/ID/preferences`: what the command `preferences` does, for the application.
extension AdminAPI {
    /// - Parameter name: of the user.
    func preferences(of name: String) throws(Refusal) -> Route {
        let actor = try administrator()
        guard let user = UserID(name) else { throw Refusal.badRequest(field: "user", "must be \(UserID.form)") }
        switch method {
        case "GET", "HEAD": return .read(ReadPreferences(of: user), actor)
        case "PUT", "PATCH":
            return .write(
                try ChangePreferences(call.object(), of: user, replacing: method == "PUT", key: call.key()), actor)
        default: return notAllowed("GET, HEAD, PUT, PATCH")
        }
    }
}
