import Digits
package import Model

/// What a verified token says of its bearer.
/// - Confinement: any
package struct Claims: Sendable, Hashable {
    /// The scope that opens the admin API.
    package static let adminScope = "admin"
    /// The scope that opens `/metrics`, and nothing else.
    package static let metricsScope = "metrics"

    /// The largest number of roles in a token.
    package static let rolesMax = 64

    /// The user (`sub`).
    package var subject: UserID
    /// What the bearer may do besides being the user (`scope`, names separated by spaces; RFC 8693, section 4.2).
    package var scopes: Set<String>
    /// The roles that the issuer says the bearer has (`roles`, a list of texts), for rules that say `role:NAME`.
    package var roles: Set<RoleName>
    /// From then on the token is worth nothing (`exp`), also on an open connection.
    package var expiresAt: Timestamp
    /// The name by which the token can be revoked (`jti`).
    package var tokenID: String?
    /// When it was made (`iat`); a token that does not say so counts as the oldest.
    package var issuedAt: Timestamp?

    /// Whether the admin API is open to the bearer.
    package var isAdmin: Bool { scopes.contains(Claims.adminScope) }

    /// Whether `/metrics` is open to the bearer.
    package var mayReadMetrics: Bool { isAdmin || scopes.contains(Claims.metricsScope) }

    /// Puts claims together, to sign them.
    package init(
        subject: UserID, scopes: Set<String> = [], roles: Set<RoleName> = [], expiresAt: Timestamp,
        tokenID: String? = nil,
        issuedAt: Timestamp? = nil
    ) {
        self.subject = subject
        self.scopes = scopes
        self.roles = roles
        self.expiresAt = expiresAt
        self.tokenID = tokenID
        self.issuedAt = issuedAt
    }

    /// A name for a new token: 88 random bits in 15 characters, which a `String` holds without memory of its own. The
    /// first is a letter or a digit, so that no command line takes it for an option.
    package static func newTokenID() -> String {
        let bytes = (0..<11).map { UInt8.random(in: $0 == 0 ? 0...247 : 0...255) }
        return Base64.url.text(of: bytes)
    }
}
