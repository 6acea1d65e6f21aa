/// Why a token is not accepted. None of it tells more about the secret than that it did not fit.
/// - Confinement: any
package enum AuthenticationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not three parts of strict base64url, or a part is not the JSON object it should be.
    case malformed
    /// Longer than `JSONWebToken.bytesMax`.
    case tooLong
    /// Neither exactly `HS256` nor an algorithm of a trusted issuer: `none`, another one, another spelling.
    case algorithmRefused
    /// The header asks for an extension (`crit`), or is not that of a JWT.
    case headerRefused
    /// An issuer's algorithm, and `iss` names none that is trusted.
    case issuerUnknown
    /// The issuer is trusted, but its keys could not be had yet: nobody can say whether the token is good.
    case keysMissing(issuer: String)
    /// The issuer has no such key (`kid`) for the algorithm: perhaps it turned its keys since they were read.
    case keyUnknown(issuer: String)
    /// The token of a trusted issuer is for somebody else (`aud`).
    case audienceWrong
    /// The signature is not the key's.
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
    /// A claim of the name has another type, or a value out of range.
    case claimInvalid(String)

    /// When a token expired, in seconds since 1970.
    package typealias ExpiryTime = Int64

    /// Whether a new token helps as it is: the answer is `token-expired` rather than `unauthenticated`.
    package var isExpired: Bool {
        if case .expired = self { true } else { false }
    }

    /// A sentence for the one who sent the token.
    package var description: String {
        switch self {
        case .malformed: "the token is not a JSON Web Token"
        case .tooLong: "the token is longer than \(JSONWebToken.bytesMax) bytes"
        case .algorithmRefused: "the token's algorithm is not accepted"
        case .headerRefused: "the token's header asks for something that this server does not support"
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
