import JSON
import Model
import Store

extension RevocationEntry {
    /// Writes the members of its object in the API.
    func write(to reply: inout JSONWriter) {
        reply.member("id", String(id))
        switch revocation.subject {
        case .token(let id): reply.member("jti", id)
        case .user(let user, let time):
            reply.member("user", user.text)
            reply.member("before", time.text)
        }
        reply.member("until", revocation.until.text)
        reply.member("at", at.text)
        reply.member("by", by)
        if let reason { reply.member("reason", reason) }
    }
}
