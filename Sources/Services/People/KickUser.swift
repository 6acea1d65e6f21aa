import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `POST /v1/users/ID/kick`: every session of the user ends now, on all devices.
///
/// The user may come back with a valid token, unless the command revokes their tokens, too.
///
/// - Confinement: any
package struct KickUser: WriteUseCase {
    let user: UserID
    let reason: String?
    let revokes: Bool
    package let key: WriteKey?

    /// - Parameters:
    ///   - reason: the reason that the user gets; nil is "kicked".
    ///   - revokes: whether the tokens issued to the user up to now are revoked, too.
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
            throw Refusal.noUser(user)
        }
        context.transaction.note(.kicked(user, reason: reason ?? CloseCode.kicked.reason))
        var revocation: Int64?
        if revokes {
            let tokens = RevokeTokens(.user(user, issuedUpTo: nil), until: nil, reason: reason, key: nil)
            revocation = try tokens.apply(in: context).id
        }
        return Answer(user: user, revocation: revocation, position: try context.transaction.appendSilently())
    }

    /// The answer: `user`, `revocation` and `seq`.
    package struct Answer: UseCaseAnswer {
        let user: UserID
        /// The number of the revocation; nil when no tokens were revoked.
        let revocation: Int64?
        let position: Position

        package func write(to reply: inout JSONWriter) {
            reply.member("user", user.text)
            if let revocation { reply.member("revocation", String(revocation)) }
            reply.member("seq", position.value)
        }
    }
}
