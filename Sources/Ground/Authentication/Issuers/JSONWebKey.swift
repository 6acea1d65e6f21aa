package import Crypto
import Digits
package import JSON

/// A public key of an issuer, as one entry of its published set (RFC 7517, section 4).
/// - Confinement: any
package struct JSONWebKey: Sendable {
    /// The name by which a token's header selects it; nil when the set gives it no name.
    package let keyID: String?
    /// The key, which knows its algorithm.
    package let key: VerificationKey
    private let parameters: PublicKeyParameters

    /// Why an entry of a known kind is not a valid key.
    /// - Confinement: any
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// A member is missing, has another type, or is not base64url.
        case member(String)
        /// The numbers are not a key.
        case key(VerificationKey.Problem)
        /// It contains the private key, which must not be published: everybody could sign with it.
        case isPrivate
        /// It is not an object.
        case noObject
        /// A key before it has the same name and algorithm, or is the same key, so a token cannot select this one.
        case repetition

        /// A sentence for the operator.
        package var description: String {
            switch self {
            case .member(let name): "its member \(name) is missing or wrong"
            case .key(let problem): problem.description
            case .isPrivate: "it is a private key: publish the public half alone, and make a new pair"
            case .noObject: "it is not an object"
            case .repetition: "a key before it has the same name and the same algorithm"
            }
        }
    }

    /// Reads an entry.
    /// - Returns: nil for a key of another kind, algorithm or use: other readers may share the set (RFC 7517, section
    ///   5).
    /// - Throws: when the kind is ours and the key is broken.
    package init?(_ entry: JSONObject) throws(Problem) {
        guard let kind = try JSONWebKey.text("kty", of: entry) else { throw .member("kty") }
        guard let algorithm = try JSONWebKey.kindOfSignature(kind, entry) else { return nil }
        if let named = try JSONWebKey.text("alg", of: entry), named != algorithm.rawValue { return nil }
        if let use = try JSONWebKey.text("use", of: entry), use != "sig" { return nil }
        if let operations = JSONWebKey.member("key_ops", of: entry) {
            guard let operations = operations.arrayValue else { throw .member("key_ops") }
            guard operations.contains(.string("verify")) else { return nil }
        }
        guard JSONWebKey.member("d", of: entry) == nil else { throw .isPrivate }
        keyID = try JSONWebKey.text("kid", of: entry)
        parameters = try JSONWebKey.parameters(algorithm, entry)
        do {
            key = try VerificationKey(parameters)
        } catch {
            throw .key(error)
        }
    }

    /// Whether a token that could select this key selects an earlier one. Keys of several kinds may share a name (RFC 7517,
    /// section 4.5), since a token also names its algorithm.
    func isRepetition(of earlier: JSONWebKey) -> Bool {
        guard key.algorithm == earlier.key.algorithm, keyID == earlier.keyID else { return false }
        return keyID != nil || parameters == earlier.parameters
    }

    /// The signature algorithm for a kind of key; nil for unsupported kinds. Symmetric keys (`oct`) are not supported,
    /// because a published set would then contain secrets.
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

    /// A member that has a value: some issuers write `null` for each member that a key does not have.
    private static func member(_ name: String, of entry: JSONObject) -> JSONValue? {
        guard let value = entry[name], !value.isNull else { return nil }
        return value
    }

    private static func text(_ name: String, of entry: JSONObject) throws(Problem) -> String? {
        guard let value = member(name, of: entry) else { return nil }
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
