package import JSON

/// The claims of a JSON Web Token that is still to be signed (RFC 7519). The signer adds the header.
///
/// - Confinement: any
package struct UnsignedToken: Sendable, Hashable {
    /// The header's `kid`, where the receiver knows several keys.
    package let keyID: String?
    /// An object.
    package let claims: JSONValue
}

/// Signs a token and returns its compact form (RFC 7515, section 7.1): header, claims and signature in base64url, with
/// full stops between them.
package typealias TokenSigning = (UnsignedToken) throws -> String
