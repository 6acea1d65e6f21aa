import ClientProtocol
package import JSON
package import Model
import Store

/// `POST /v1/revocations`: a token, or all tokens of a user up to an instant, are worth nothing any more.
///
/// - Confinement: any
package struct RevokeTokens: WriteUseCase {
    /// What is to be revoked; an instant that is not given is the present.
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

    /// - Parameter until: when the tokens expire; nil keeps it as long as a token can live.
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

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let entry = try context.revoke(subject, until: until, reason: reason)
        entry.write(to: &reply)
        reply.member("seq", try context.transaction.appendSilently().value)
    }
}

extension WriteContext {
    /// Revokes, and has every session know.
    func revoke(
        _ subject: RevokeTokens.Subject, until: Timestamp?, reason: String?
    ) throws -> RevocationEntry {
        let latest = now.adding(milliseconds: Limits.revocationMilliseconds)
        let until = until ?? latest
        guard until > now, until <= latest else {
            throw Refusal.badRequest(field: "until", "must lie in the future, at most ten years ahead")
        }
        let table = transaction.revocations
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
        guard
            let entry = try table.put(
                Revocation(stored, until: until), at: now, by: actor.subject, reason: reason)
        else { throw StoredValueProblem(place: "revocations") }
        transaction.note(.revoked(entry.revocation))
        return entry
    }
}
