import Digits
package import JSON
package import Crypto

/// A public key of an issuer, as one entry of its published set (RFC 7517, section 4).
/// - Confinement: any
package struct JSONWebKey: Sendable {
    /// The name by which a token's header picks it; nil when the set gives it none.
    package let keyID: String?
    /// The key, which knows its algorithm.
    package let key: VerificationKey

    /// Why an entry is no key, though it is of a kind we know.
    /// - Confinement: any
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// A member is missing, has another type, or is not base64url.
        case member(String)
        /// The numbers are not a key.
        case key(VerificationKey.Problem)
        /// It holds the private half, which has no business in a published set.
        case isPrivate

        /// A sentence for the operator.
        package var description: String {
            switch self {
            case .member(let name): "its member \(name) is missing or wrong"
            case .key(let problem): problem.description
            case .isPrivate: "it is a private key: publish the public half alone, and make a new pair"
            }
        }
    }

    /// Reads an entry.
    /// - Returns: nil for a key of a kind, algorithm or use that is not ours: sets are shared with other readers
    ///   (RFC 7517, section 5).
    /// - Throws: when it is of ours and broken.
    package init?(_ entry: JSONObject) throws(Problem) {
        guard let kind = try JSONWebKey.text("kty", of: entry) else { throw .member("kty") }
        guard let algorithm = try JSONWebKey.kindOfSignature(kind, entry) else { return nil }
        if let named = try JSONWebKey.text("alg", of: entry), named != algorithm.rawValue { return nil }
        if let use = try JSONWebKey.text("use", of: entry), use != "sig" { return nil }
        if let operations = entry["key_ops"] {
            guard let operations = operations.arrayValue else { throw .member("key_ops") }
            guard operations.contains(.string("verify")) else { return nil }
        }
        guard entry["d"] == nil else { throw .isPrivate }
        keyID = try JSONWebKey.text("kid", of: entry)
        let parameters = try JSONWebKey.parameters(algorithm, entry)
        do {
            key = try VerificationKey(parameters)
        } catch {
            throw .key(error)
        }
    }

    /// The one way in which a kind of key signs here; nil when it is not one of ours. Symmetric keys (`oct`) are not:
    /// they would turn a published set into a list of secrets.
    private static func kindOfSignature(_ kind: String, _ entry: JSONObject) throws(Problem) -> SignatureAlgorithm? {
        switch kind {
        case "RSA": return .rs256
        case "EC": return try text("crv", of: entry) == "P-256" ? .es256 : nil
        case "OKP": return try text("crv", of: entry) == "Ed25519" ? .edDSA : nil
        default: return nil
        }
    }

    private static func parameters(
        _ algorithm: SignatureAlgorithm,
        _ entry: JSONObject
    ) throws(Problem) -> PublicKeyParameters {
        switch algorithm {
        case .rs256: .rsa(modulus: try bytes("n", of: entry), exponent: try bytes("e", of: entry))
        case .es256: .p256(x: try bytes("x", of: entry), y: try bytes("y", of: entry))
        case .edDSA: .ed25519(try bytes("x", of: entry))
        }
    }

    private static func text(_ name: String, of entry: JSONObject) throws(Problem) -> String? {
        guard let value = entry[name] else { return nil }
        guard let text = value.stringValue else { throw .member(name) }
        return text
    }

    private static func bytes(_ name: String, of entry: JSONObject) throws(Problem) -> [UInt8] {
        guard let text = try text(name, of: entry), let bytes = Base64.url.decode(Array(text.utf8)) else {
            throw .member(name)
        }
        return bytes
    }
}
