/// A public key as its numbers, the way a JSON Web Key writes them (RFC 7518, section 6; RFC 8037, section 2).
/// - Confinement: any
package enum PublicKeyParameters: Sendable, Hashable {
    /// RSA: modulus and exponent, big-endian without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// A point of P-256: two coordinates of 32 bytes, big-endian.
    case p256(x: [UInt8], y: [UInt8])
    /// Ed25519: 32 bytes.
    case ed25519([UInt8])

    /// A point of P-256 in one piece, as Web Push writes keys: 4 and both coordinates, 65 bytes (SEC 1, section 2.3.3).
    /// - Returns: nil for other kinds of keys.
    package var point: [UInt8]? {
        guard case .p256(let x, let y) = self else { return nil }
        return [4] + x + y
    }

    /// The one way to sign with this kind of key.
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .rsa: .rs256
        case .p256: .es256
        case .ed25519: .edDSA
        }
    }
}

/// A way to sign, by its name in JSON Web Signatures (RFC 7518, section 3; RFC 8037, section 3.1).
/// - Confinement: any
package enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256; the signature is two numbers of 32 bytes.
    case es256 = "ES256"
    /// Ed25519; the name is that of a family, and we accept only this member.
    case edDSA = "EdDSA"
}
