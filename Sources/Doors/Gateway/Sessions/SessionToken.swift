import Authentication
import Model
import Services

/// The token on which a session rests: when it ends, and how it is found when it is revoked.
///
/// - Confinement: loop
struct SessionToken {
    private(set) var expiresAt = Timestamp(milliseconds: 0)
    private var id: String?
    private var issuedAt: Timestamp?
    private var expiry = TokenExpiry()

    /// From here on the session rests on the token of these claims.
    mutating func rest(on claims: Claims) {
        expiresAt = claims.expiresAt
        id = claims.tokenID
        issuedAt = claims.issuedAt
        expiry.renewed()
    }

    /// The session rests on no token, so that none ends.
    mutating func restOnNothing() { expiresAt = Timestamp(milliseconds: .max) }

    /// The action that the token's end makes due.
    mutating func due(at now: Timestamp) -> TokenExpiry.Action {
        expiry.due(remaining: expiresAt.milliseconds - now.milliseconds, announceAt: Limits.expiringMilliseconds)
    }

    /// The token as revocations name it.
    ///
    /// - Parameter user: whose token it is.
    func bearer(_ user: UserID) -> Bearer { Bearer(user: user, tokenID: id, issuedAt: issuedAt) }

    /// A device that is used with the token.
    func device(_ name: String, language: LanguageTag?) -> SessionDevice {
        SessionDevice(name: name, language: language, tokenID: id, tokenIssued: issuedAt)
    }
}
