/// A token, or all tokens of a user up to an instant, that are not valid although they have not expired.
///
/// - Confinement: any
package struct Revocation: Sendable, Hashable {
    /// The revoked tokens.
    ///
    /// - Confinement: any
    package enum Subject: Sendable, Hashable {
        /// The token of this name (`jti`).
        case token(String)
        /// Every token of the user whose `iat` is not later than the instant, or is absent.
        case user(UserID, issuedUpTo: Timestamp)
    }

    package let subject: Subject
    /// It may be forgotten at this time, because the tokens have expired.
    package let until: Timestamp

    package init(_ subject: Subject, until: Timestamp) {
        self.subject = subject
        self.until = until
    }
}
