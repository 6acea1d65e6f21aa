import Authentication
import ClientProtocol
import JSON
import Model
import Services
import Wire

/// `/v1/revocations` and `/v1/users/ID/kick`.
extension AdminAPI {
    /// - Parameter id: the path after `revocations/`; nil for all of them.
    func revocations(_ id: String?) throws(Refusal) -> Route {
        let actor = try administrator()
        switch (method, id) {
        case ("GET", nil), ("HEAD", nil):
            let before = call.head.target.queryValue("before")
            return .read(ListRevocations(before: before, limit: try call.limit()), actor)
        case ("POST", nil):
            let body = try RevocationBody(call.object(), at: door)
            return .write(
                RevokeTokens(body.subject, until: body.until, reason: body.reason, key: try call.key()), actor)
        case ("DELETE", let id?):
            guard let number = Int64(id), number > 0 else { throw Refusal(.notFound, "there is no revocation \(id)") }
            return .write(LiftRevocation(id: number), actor)
        case (_, nil): return notAllowed("GET, HEAD, POST")
        case (_, _?): return notAllowed("DELETE")
        }
    }

    /// - Parameter name: of the user.
    func kick(_ name: String) throws(Refusal) -> Route {
        let actor = try administrator()
        guard method == "POST" else { return notAllowed("POST") }
        guard let user = UserID(name) else { throw Refusal.badRequest(field: "user", "must be \(UserID.form)") }
        let body = call.body.isEmpty ? [:] : try call.object()
        try body.allow(["reason", "revoke"])
        let revokes = try body.flag("revoke") ?? false
        return .write(KickUser(user, reason: try body.reason(), revokes: revokes, key: try call.key()), actor)
    }
}

/// The body of `POST /v1/revocations`: one of `jti`, `token` and `user`.
///
/// - Confinement: any
struct RevocationBody {
    let subject: RevokeTokens.Subject
    let until: Timestamp?
    let reason: String?

    /// - Throws: `Refusal` naming the field.
    init(_ body: JSONObject, at door: any RequestDoor) throws(Refusal) {
        try body.allow(["jti", "token", "user", "before", "until", "reason"])
        reason = try body.reason()
        let until = try body.time("until")
        let before = try body.time("before")
        let given = ["jti", "token", "user"].filter { body[$0] != nil }
        guard given.count == 1, let name = given.first, let text = body[name]?.stringValue, !text.isEmpty else {
            throw Refusal.badRequest(field: given.first ?? "jti", "is required: one of jti, token and user, a text")
        }
        guard before == nil || name == "user" else {
            throw Refusal.badRequest(field: "before", "requires user: tokens of that user issued before it are revoked")
        }
        switch name {
        case "user":
            guard let user = UserID(text) else { throw Refusal.badRequest(field: "user", "must be \(UserID.form)") }
            subject = .user(user, issuedUpTo: before)
            self.until = until
        case "token":
            // Like RFC 7009: the token itself tells its name and how long this must be remembered.
            let claims = try door.read(token: text)
            guard let id = claims.tokenID else {
                throw Refusal.badRequest(field: "token", "has no jti; revoke all tokens of its user instead")
            }
            subject = .token(id)
            self.until = until ?? claims.expiresAt
        default:
            guard text.utf8.count <= 256 else { throw Refusal.badRequest(field: "jti", "must be at most 256 bytes") }
            subject = .token(text)
            self.until = until
        }
    }
}

extension JSONObject {
    /// The reason that a user may see, and that the list of revocations shows; nil without one.
    fileprivate func reason() throws(Refusal) -> String? {
        guard let value = self["reason"], !value.isNull else { return nil }
        guard let text = value.stringValue, (1...Limits.kickReasonBytesMax).contains(text.utf8.count) else {
            throw Refusal.badRequest(field: "reason", "must be a text of 1 to \(Limits.kickReasonBytesMax) bytes")
        }
        return text
    }
}
