import Authentication
import FoundationEssentials
import Model

/// Signs the tokens of bots with the server's own secret.
struct TokenMint: Sendable {
    private static let lifetimeMilliseconds: Int64 = 24 * 3_600_000

    let secret: ServerSecret

    /// A token for a user, valid for a day.
    func token(for user: UserID, isAdmin: Bool = false) -> String {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let claims = Claims(
            subject: user,
            scopes: isAdmin ? [Claims.adminScope] : [],
            expiresAt: now.adding(milliseconds: Self.lifetimeMilliseconds)
        )
        return JSONWebToken.sign(claims, issuedAt: now, with: secret)
    }
}
