/// Somebody else whose tokens are accepted: an identity provider, with the keys it signs with.
/// - Confinement: any
package struct TrustedIssuer: Sendable {
    /// What an issuer promises of its tokens beyond RFC 7519.
    /// - Confinement: any
    package enum Rules: Sendable, Hashable {
        /// Nothing.
        case plain
        /// Firebase ID tokens: RS256 alone, `kid` is given, `auth_time` has passed, `sub` is at most 128 characters
        /// (Firebase documentation, "Verify ID tokens using a third-party JWT library").
        case firebase
    }

    /// The issuer's name: a token's `iss`, to the letter.
    package let issuer: String
    /// Whom its tokens must be for: `aud`, or one of them. An issuer serves many, and theirs are not for us.
    package let audience: String
    /// The keys of the present; replace them when the issuer turns its keys. Nil as long as none were had: then its
    /// tokens can be neither accepted nor refused.
    package var keys: JSONWebKeySet?
    /// What else holds.
    package let rules: Rules
    /// Whether the scope `admin` of its tokens counts; else it is taken away, for who writes their scopes is not the
    /// one who runs this server.
    package var mayGrantAdmin = false

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
