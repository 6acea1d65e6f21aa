/// Why a token is not accepted. No case reveals more about the secret than that it does not match.
/// - Confinement: any
package enum AuthenticationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not three parts of strict base64url, or a part is not a JSON object.
    case malformed
    /// Longer than `JSONWebToken.bytesMax`.
    case tooLong
    /// Neither exactly `HS256` nor an algorithm of a trusted issuer: `none`, another algorithm, another spelling.
    case algorithmRefused
    /// The header asks for an extension (`crit`), or is not that of a JWT.
    case headerRefused
    /// The algorithm is one of issuers, but `iss` does not name a trusted one.
    case issuerUnknown
    /// The issuer is trusted, but its keys have not arrived yet, so the token cannot be checked.
    case keysMissing(issuer: String)
    /// The issuer has no such key (`kid`) for the algorithm: perhaps it changed its keys since they were read.
    case keyUnknown(issuer: String)
    /// The token of a trusted issuer is for another audience (`aud`).
    case audienceWrong
    /// The signature does not match the key.
    case badSignature
    /// There is no `exp`.
    case expiryMissing
    /// `exp` has passed.
    case expired(at: ExpiryTime)
    /// `nbf` or `iat` lies in the future, by more than the leeway.
    case notYetValid
    /// There is no `sub`.
    case subjectMissing
    /// `sub` is not a user id.
    case subjectInvalid
    /// The claim of this name has the wrong type, or a value out of range.
    case claimInvalid(String)

    /// When a token expired, in seconds since 1970.
    package typealias ExpiryTime = Int64

    /// Whether a new token of the same kind would be accepted: the answer is `token-expired` rather than
    /// `unauthenticated`.
    package var isExpired: Bool {
        if case .expired = self { true } else { false }
    }

    /// A word for figures and the log.
    package var word: String {
        switch self {
        case .malformed, .tooLong: "malformed"
        case .algorithmRefused: "algorithm"
        case .headerRefused: "header"
        case .issuerUnknown: "issuer"
        case .keysMissing: "keys-missing"
        case .keyUnknown: "key"
        case .audienceWrong: "audience"
        case .badSignature: "signature"
        case .expired: "expired"
        case .notYetValid: "not-yet-valid"
        case .expiryMissing, .subjectMissing, .subjectInvalid, .claimInvalid: "claim"
        }
    }

    /// A sentence for the sender of the token.
    package var description: String {
        switch self {
        case .malformed: "the token is not a JSON Web Token"
        case .tooLong: "the token is longer than \(JSONWebToken.bytesMax) bytes"
        case .algorithmRefused: "the token's algorithm (alg) is not accepted; use RS256, ES256 or EdDSA"
        case .headerRefused: "the token's header is not supported: a typ other than JWT, crit, or a kid that is no text"
        case .issuerUnknown: "the token's issuer (iss) is not trusted here"
        case .keysMissing: "the server does not have the keys of the token's issuer (iss) yet"
        case .keyUnknown: "the token's issuer has no such key (kid)"
        case .audienceWrong: "the token is for another server (aud)"
        case .badSignature: "the token's signature does not match"
        case .expiryMissing: "the token has no expiry (exp)"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet (nbf, iat)"
        case .subjectMissing: "the token has no subject (sub)"
        case .subjectInvalid: "the token's subject (sub) is not a user id"
        case .claimInvalid(let name): "the token's claim \(name) has the wrong type or a wrong value"
        }
    }
}
