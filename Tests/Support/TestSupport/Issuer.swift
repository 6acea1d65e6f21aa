import Authentication
package import Crypto
import Digits
package import JSON

/// An issuer for tests: keys that sign, and the published set.
package struct Issuer: Sendable {
    package static let name = "https://issuer.example"
    package let keys: [(keyID: String?, key: SigningKey)]

    package init(_ keys: [(keyID: String?, key: SigningKey)]) {
        self.keys = keys
    }

    /// One key of each kind, called by its algorithm.
    package init() throws {
        keys = try SignatureAlgorithm.allCases.map { ($0.rawValue, try SigningKey($0)) }
    }

    package var published: [UInt8] {
        let set: JSONValue = ["keys": .array(keys.map { Issuer.entry($0.key, keyID: $0.keyID) })]
        return set.bytes
    }

    package static func entry(_ key: SigningKey, keyID: String?) -> JSONValue {
        var entry: JSONValue =
            switch key.publicKey {
            case .rsa(let modulus, let exponent): ["kty": "RSA", "n": text(modulus), "e": text(exponent)]
            case .p256(let x, let y): ["kty": "EC", "crv": "P-256", "x": text(x), "y": text(y)]
            case .ed25519(let x): ["kty": "OKP", "crv": "Ed25519", "x": text(x)]
            }
        entry["use"] = "sig"
        entry["alg"] = .string(key.algorithm.rawValue)
        if let keyID { entry["kid"] = .string(keyID) }
        return entry
    }

    /// Signs any payload with a key of the issuer.
    package func token(_ algorithm: SignatureAlgorithm, header: String? = nil, payload: String) throws -> String {
        guard let key = keys.first(where: { $0.key.algorithm == algorithm })?.key else { return "" }
        let header = header ?? #"{"alg":"\#(algorithm.rawValue)","kid":"\#(algorithm.rawValue)","typ":"JWT"}"#
        return try JSONWebToken.compact(
            header: Array(header.utf8), payload: Array(payload.utf8), signedBy: key.sign)
    }

    package static func base64(_ bytes: [UInt8]) -> String { Base64.url.text(of: bytes) }

    private static func text(_ bytes: [UInt8]) -> JSONValue { .string(base64(bytes)) }
}
