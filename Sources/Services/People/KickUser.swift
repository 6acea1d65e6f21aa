import ClientProtocol
package import JSON
package import Model
import Store

/// `POST /v1/users/ID/kick`: every session of the user ends now, on all devices.
///
/// He may come back with a token that is good, unless all that he has are revoked with it.
///
/// - Confinement: any
package struct KickUser: WriteUseCase {
    let user: UserID
    let reason: String?
    let revokes: Bool
    package let key: WriteKey?

    /// - Parameters:
    ///   - reason: what the user is told; nil is "kicked".
    ///   - revokes: whether his tokens issued up to now are revoked, too.
    package init(_ user: UserID, reason: String?, revokes: Bool, key: WriteKey?) {
        self.user = user
        self.reason = reason
        self.revokes = revokes
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("kick")
        fingerprint.add(user.text)
        fingerprint.add(reason)
        fingerprint.add(revokes ? "revoke" : "")
    }

    package func perform(in context: WriteContext) throws -> Answer {
        guard try revokes || context.transaction.users.number(of: user) != nil else {
            throw Refusal(.notFound, "there is no user \(user.text)", field: "user")
        }
        context.transaction.note(.kicked(user, reason: reason ?? CloseCode.kicked.reason))
        let revocation =
            revokes ? try context.revoke(.user(user, issuedUpTo: nil), until: nil, reason: reason).id : nil
        return Answer(user: user, revocation: revocation, position: try context.transaction.appendSilently())
    }

    package struct Answer: UseCaseAnswer {
        let user: UserID
        /// Its number; nil where no tokens were revoked.
        let revocation: Int64?
        let position: Position

        package func write(to reply: inout JSONWriter) {
            reply.member("user", user.text)
            if let revocation { reply.member("revocation", String(revocation)) }
            reply.member("seq", position.value)
        }
    }
}
