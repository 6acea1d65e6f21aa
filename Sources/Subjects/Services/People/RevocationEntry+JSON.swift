import JSON
import Model
import Store

extension RevocationEntry {
    /// Its object in the API.
    var json: JSONObject {
        var object: JSONObject = ["id": .string(String(id))]
        switch revocation.subject {
        case .token(let id): object["jti"] = .string(id)
        case .user(let user, let time):
            object["user"] = .string(user.text)
            object["before"] = .string(time.text)
        }
        object["until"] = .string(revocation.until.text)
        object["at"] = .string(at.text)
        object["by"] = .string(by)
        object["reason"] = reason.map { .string($0) }
        return object
    }
}
