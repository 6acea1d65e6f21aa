package import Model

/// The device of a session, with the token on which the session rests.
///
/// - Confinement: any
package struct SessionDevice: Sendable, Hashable {
    /// As `hello` named it.
    package let name: String
    /// As `hello` named it.
    package let language: LanguageTag?
    /// The token's `jti`.
    package let tokenID: String?
    /// The token's `iat`.
    package let tokenIssued: Timestamp?

    package init(name: String, language: LanguageTag?, tokenID: String?, tokenIssued: Timestamp?) {
        self.name = name
        self.language = language
        self.tokenID = tokenID
        self.tokenIssued = tokenIssued
    }
}
