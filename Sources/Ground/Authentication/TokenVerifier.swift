import Crypto
import JSON
package import Model

/// Accepts the server's own tokens and those of trusted issuers.
///
/// Each algorithm has its own keys, and no key has two algorithms. A token signed by HMAC with somebody's public key is
/// checked with the server's secret and fails; a token without a signature has no key at all (RFC 8725, sections 2.1
/// and 3.1).
/// - Confinement: any
package struct TokenVerifier: Sendable {
    /// The secret that signs, and one that is only accepted while the secret turns.
    private var secrets: [ServerSecret]
    /// An audience besides those of the secrets.
    private let audience: String?
    /// The trusted issuers. New keys mean a new verifier, which is a value and is sent to the loops.
    package var issuers: [TrustedIssuer]

    /// Accepts the server's own tokens and those of the issuers, whose names differ.
    /// - Parameters:
    ///   - older: Secrets that sign no more, but whose tokens are accepted.
    ///   - audience: An additional audience of the server's own tokens, for the life of this verifier.
    package init(
        secret: ServerSecret, older: [ServerSecret] = [], audience: String? = nil, issuers: [TrustedIssuer] = []
    ) {
        precondition(Set(issuers.map(\.issuer)).count == issuers.count, "each issuer is trusted once")
        secrets = [secret] + older
        self.audience = audience
        self.issuers = issuers
    }

    /// Accepts tokens of these secrets from now on, and of no others.
    package mutating func accept(_ secrets: [ServerSecret]) { self.secrets = secrets }

    /// The audiences that the server's own tokens may have.
    private var audiences: [String] { secrets.map(\.audience) + (audience.map { [$0] } ?? []) }

    /// Verifies a token: form, algorithm, issuer and key, signature, then the claims, in this order.
    /// - Parameter now: The present time.
    /// - Throws: the first problem; `keyUnknown` may mean that the issuer has changed its keys.
    package func verify(_ token: String, at now: Timestamp) throws(AuthenticationFailure) -> Claims {
        let token = try CompactToken(token)
        guard token.algorithm != CompactToken.hmac else {
            guard
                let secret = secrets.first(where: { constantTimeEqual($0.authenticate(token.signed), token.signature) })
            else { throw strangeness(of: token) }
            let own = [secret.audience] + (audience.map { [$0] } ?? [])
            return try ClaimsReader(payload: try token.payload()).claims(for: own, at: now)
        }
        guard !issuers.isEmpty, let algorithm = SignatureAlgorithm(rawValue: token.algorithm) else {
            throw .algorithmRefused
        }
        return try verify(token, algorithm, at: now)
    }

    /// Why the secret does not match: most often the token is of another server, as its audience says. No other claim
    /// is used.
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
        // Read before the signature is checked, only to choose the issuer whose keys will check it.
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
        claims.scopes.subtract(Set(Scope.allCases).subtracting(issuer.grantableScopes).map(\.rawValue))
        claims.scopes.subtract(NodeErrand.allCases.map(\.rawValue))
        return claims
    }
}
