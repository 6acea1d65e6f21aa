/// A token, or all tokens of a user up to an instant, that are worth nothing although they have not expired.
///
/// - Confinement: any
package struct Revocation: Sendable, Hashable {
    /// What is revoked.
    ///
    /// - Confinement: any
    package enum Subject: Sendable, Hashable {
        /// The token of this name (`jti`).
        case token(String)
        /// Every token of the user whose `iat` is not later than the instant, or is absent.
        case user(UserID, issuedUpTo: Timestamp)
    }

    package let subject: Subject
    /// From then on it need not be remembered: the tokens have expired anyway.
    package let until: Timestamp

    package init(_ subject: Subject, until: Timestamp) {
        self.subject = subject
        self.until = until
    }
}
