import JSON
package import Model
import Crypto

/// Whose tokens a server accepts: its own, and those of issuers it trusts.
///
/// Each algorithm has its own keys and no key has two: a token signed by HMAC with somebody's public key as the secret
/// meets the server's secret, a token without a signature meets nothing (RFC 8725, sections 2.1 and 3.1).
/// - Confinement: any
package struct TokenVerifier: Sendable {
    private let secret: ServerSecret
    /// For whom the server's own tokens may be.
    private let audiences: [String]
    /// The issuers trusted at present. A new set of keys is a new verifier: a value, handed to the loops.
    package var issuers: [TrustedIssuer]

    /// Accepts the server's own tokens and those of the issuers, whose names differ.
    /// - Parameter audience: one more audience of the server's own tokens, as long as this verifier is there.
    package init(secret: ServerSecret, audience: String? = nil, issuers: [TrustedIssuer] = []) {
        precondition(Set(issuers.map(\.issuer)).count == issuers.count, "each issuer is trusted once")
        self.secret = secret
        audiences = [secret.audience] + (audience.map { [$0] } ?? [])
        self.issuers = issuers
    }

    /// Verifies a token: form, algorithm, issuer and key, signature, then the claims, in this order.
    /// - Parameter now: the present.
    /// - Throws: the first thing that is wrong; `keyUnknown` may mean that the issuer has turned its keys.
    package func verify(_ token: String, at now: Timestamp) throws(AuthenticationFailure) -> Claims {
        let token = try CompactToken(token)
        guard token.algorithm != CompactToken.hmac else {
            guard constantTimeEqual(secret.authenticate(token.signed), token.signature) else {
                throw strangeness(of: token)
            }
            return try ClaimsReader(payload: try token.payload()).claims(for: audiences, at: now)
        }
        guard !issuers.isEmpty, let algorithm = SignatureAlgorithm(rawValue: token.algorithm) else {
            throw .algorithmRefused
        }
        return try verify(token, algorithm, at: now)
    }

    /// Why the secret does not fit: most often the token is another server's, and says so. Nothing else is believed of it.
    private func strangeness(of token: CompactToken) -> AuthenticationFailure {
        guard let payload = try? token.payload(), let names = try? ClaimsReader(payload: payload).audiences(),
            names.contains(where: { $0.hasPrefix(ServerSecret.audiencePrefix) }),
            !names.contains(where: audiences.contains)
        else { return .badSignature }
        return .audienceWrong
    }

    private func verify(
        _ token: CompactToken,
        _ algorithm: SignatureAlgorithm,
        at now: Timestamp
    ) throws(AuthenticationFailure) -> Claims {
        // Read before the signature is checked, for nothing but the choice of the issuer whose keys will check it.
        let reader = ClaimsReader(payload: try token.payload())
        guard let name = reader.payload["iss"]?.stringValue, let issuer = issuers.first(where: { $0.issuer == name })
        else { throw .issuerUnknown }
        if issuer.rules == .firebase {
            guard algorithm == .rs256 else { throw .algorithmRefused }
            guard token.keyID != nil else { throw .headerRefused }
        }
        guard let keys = issuer.keys else { throw .keysMissing(issuer: issuer.issuer) }
        guard let key = keys.key(named: token.keyID, for: algorithm) else {
            throw .keyUnknown(issuer: issuer.issuer)
        }
        guard key.verifies(token.signature, of: token.signed) else { throw .badSignature }
        var claims = try reader.claims(of: issuer, at: now)
        if !issuer.mayGrantAdmin { claims.scopes.subtract([Claims.adminScope, Claims.metricsScope]) }
        return claims
    }
}
