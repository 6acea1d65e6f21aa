import ClientProtocol
package import Execution
package import JSON
package import Model
import Push
import Store

/// `POST /v1/revocations`: a token, or all tokens of a user up to an instant, are not valid any more.
///
/// - Confinement: any
package struct RevokeTokens: WriteUseCase {
    /// The tokens that are revoked. A missing instant means now.
    ///
    /// - Confinement: any
    package enum Subject: Sendable, Hashable {
        case token(String)
        case user(UserID, issuedUpTo: Timestamp?)
    }

    let subject: Subject
    let until: Timestamp?
    let reason: String?
    package let key: WriteKey?

    /// - Parameter until: when the tokens expire; nil keeps the revocation as long as a token can live.
    package init(_ subject: Subject, until: Timestamp?, reason: String?, key: WriteKey?) {
        self.subject = subject
        self.until = until
        self.reason = reason
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("revoke")
        switch subject {
        case .token(let id):
            fingerprint.add("token")
            fingerprint.add(id)
        case .user(let user, let time):
            fingerprint.add(user.text)
            fingerprint.add(time?.milliseconds)
        }
        fingerprint.add(until?.milliseconds)
        fingerprint.add(reason)
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        var answer = try apply(in: context).json
        answer["seq"] = .integer(try context.transaction.appendSilently().value)
        return answer
    }

    /// Revokes, and notifies every session.
    func apply(in context: WriteContext) throws -> RevocationEntry {
        let (now, table) = (context.now, context.transaction.revocations)
        let latest = now.adding(milliseconds: Limits.revocationMilliseconds)
        let until = self.until ?? latest
        guard until > now, until <= latest else {
            throw Refusal.badRequest(field: "until", "must lie in the future, at most ten years ahead")
        }
        guard try table.count(at: now) < Limits.revocationsMax else {
            throw Refusal(
                .tooMany, "at most \(Limits.revocationsMax) revocations are kept: lift some, or turn the secret",
                retryAfterMilliseconds: 3_600_000)
        }
        let stored: Revocation.Subject =
            switch subject {
            case .token(let id): .token(id)
            case .user(let user, let time): .user(user, issuedUpTo: min(time ?? now, now))
            }
        if case .user(let user, _) = subject { try context.transaction.checkErasure(of: user, field: "user") }
        guard
            let entry = try table.put(
                Revocation(stored, until: until), at: now, by: context.actor.subject, reason: reason)
        else { throw StoredValueProblem(place: "revocations") }
        // Their devices would go on ringing.
        try context.transaction.pushDevices.deleteRevoked(entry.revocation.subject)
        context.transaction.note(.revoked(entry.revocation))
        return entry
    }
}
