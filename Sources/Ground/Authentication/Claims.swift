import Digits
package import Model

/// The statements of a verified token about its bearer.
/// - Confinement: any
package struct Claims: Sendable, Hashable {
    /// The scope that opens everything.
    package static let adminScope = Scope.admin.rawValue

    /// The largest number of roles in a token.
    package static let rolesMax = 64

    /// The user (`sub`).
    package var subject: UserID
    /// The bearer's additional rights (`scope`, names separated by spaces; RFC 8693, section 4.2).
    package var scopes: Set<String>
    /// The roles that the issuer says the bearer has (`roles`, a list of texts), for rules that say `role:NAME`.
    package var roles: Set<RoleName>
    /// The token is not valid from this time on (`exp`), also on an open connection.
    package var expiresAt: Timestamp
    /// The name by which the token can be revoked (`jti`).
    package var tokenID: String?
    /// The person who runs the command line that made the token, beside the server (`act`; RFC 8693, section 4.1). Tokens of
    /// other issuers have none.
    package var commandLine: String?
    /// When it was made (`iat`); a token without this time counts as the oldest.
    package var issuedAt: Timestamp?

    /// Whether everything is open to the bearer.
    package var isAdmin: Bool { scopes.contains(Claims.adminScope) }

    /// Makes claims for a token to be signed.
    package init(
        subject: UserID, scopes: Set<String> = [], roles: Set<RoleName> = [], expiresAt: Timestamp,
        tokenID: String? = nil,
        commandLine: String? = nil,
        issuedAt: Timestamp? = nil
    ) {
        self.subject = subject
        self.scopes = scopes
        self.roles = roles
        self.expiresAt = expiresAt
        self.tokenID = tokenID
        self.commandLine = commandLine
        self.issuedAt = issuedAt
    }

    /// A name for a new token: 88 random bits in 15 characters, which a `String` holds without memory of its own. The
    /// first is a letter or a digit, so that no command line takes it for an option.
    package static func newTokenID() -> String {
        let bytes = (0..<11).map { UInt8.random(in: $0 == 0 ? 0...247 : 0...255) }
        return Base64.url.text(of: bytes)
    }
}
