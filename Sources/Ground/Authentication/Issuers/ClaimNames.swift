package import Model

/// Which claims of an issuer's tokens say who the bearer is.
/// - Confinement: any
package struct ClaimNames: Sendable, Hashable {
    /// How a claim becomes a user id.
    /// - Confinement: any
    package enum Spelling: String, Sendable, CaseIterable {
        /// As it is: a claim that is no user id is refused.
        case plain
        /// With a mark for each character that a user id cannot have: see ``UserSpelling``.
        case escaped
    }

    /// The claim with the user. `email` counts only with `email_verified`.
    package var user = "sub"
    /// Stands before each user id, so that another issuer's `alice` is another user.
    package var prefix = ""
    package var spelling = Spelling.plain
    /// The claim with the roles; with dots between the names where it lies in others, as `realm_access.roles`.
    package var roles = "roles"

    package init() {}

    /// The id of a user; nil when the text cannot become one.
    package func user(_ text: String) -> UserID? {
        switch spelling {
        case .plain: UserID(prefix + text)
        case .escaped: UserSpelling.user(of: text, after: prefix)
        }
    }
}
