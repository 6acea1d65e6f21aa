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

    package func perform(in context: WriteContext) throws -> JSONObject {
        guard try revokes || context.transaction.users.number(of: user) != nil else {
            throw Refusal.noUser(user)
        }
        context.transaction.note(.kicked(user, reason: reason ?? CloseCode.kicked.reason))
        var answer: JSONObject = ["user": .string(user.text)]
        if revokes {
            let tokens = RevokeTokens(.user(user, issuedUpTo: nil), until: nil, reason: reason, key: nil)
            answer["revocation"] = .string(String(try tokens.apply(in: context).id))
        }
        answer["seq"] = .integer(try context.transaction.appendSilently().value)
        return answer
    }
}
