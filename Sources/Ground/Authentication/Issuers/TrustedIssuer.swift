/// Another party whose tokens are accepted: an identity provider, with its keys.
/// - Confinement: any
package struct TrustedIssuer: Sendable {
    /// The promises of an issuer about its tokens, beyond RFC 7519.
    /// - Confinement: any
    package enum Rules: Sendable, Hashable {
        /// Nothing.
        case plain
        /// Firebase ID tokens: only RS256, with `kid`, with an `auth_time` in the past, and a `sub` of at most 128
        /// characters (Firebase documentation, "Verify ID tokens using a third-party JWT library").
        case firebase
    }

    /// The issuer's name, compared exactly with a token's `iss`.
    package let issuer: String
    /// The audience that a token's `aud` must name or contain. An issuer serves many applications, and tokens for
    /// others are not accepted.
    package let audience: String
    /// The present keys; replaced when the issuer changes them. Nil until the first keys have arrived: until then its
    /// tokens can be neither accepted nor refused.
    package var keys: JSONWebKeySet?
    /// Additional rules for its tokens.
    package let rules: Rules
    /// The scopes of its tokens that count. The others are removed, because the issuer's operator need not be the operator
    /// of this server.
    package var grantableScopes: Set<Scope> = []
    /// Which of its claims say who the bearer is.
    package var names = ClaimNames()

    /// An issuer of plain tokens.
    package init(issuer: String, audience: String, keys: JSONWebKeySet?) {
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
        rules = .plain
    }

    /// Firebase Authentication, for the ID tokens of one project.
    package init(firebaseProject project: String, keys: JSONWebKeySet?) {
        issuer = "https://securetoken.google.com/\(project)"
        audience = project
        self.keys = keys
        rules = .firebase
    }
}
