package import Authentication
import ClientProtocol
package import Model

/// The issuers whose tokens a loop accepts at present, and the answer to tokens that it cannot judge.
///
/// - Confinement: any
package struct TokenCheck: Sendable {
    private var verifier: TokenVerifier
    /// For how long keys that have just come are held for all there are.
    private let wantedMilliseconds: Int64
    /// When each issuer's keys came, or were found to be the same; the loop's clock.
    private var confirmedAt: [String: Int64] = [:]

    /// - Parameter wantedMilliseconds: see ``KeyPace``.
    package init(_ verifier: TokenVerifier, wantedMilliseconds: Int64) {
        self.verifier = verifier
        self.wantedMilliseconds = wantedMilliseconds
    }

    /// Issuers that are trusted but whose keys are not here.
    package var keyless: [String] { verifier.issuers.filter { $0.keys == nil }.map(\.issuer) }

    /// An issuer's keys are these.
    package mutating func learn(_ issuer: TrustedIssuer, at now: Int64) {
        guard let index = verifier.issuers.firstIndex(where: { $0.issuer == issuer.issuer }) else { return }
        verifier.issuers[index] = issuer
        confirmedAt[issuer.issuer] = now
    }

    /// The server's own tokens are signed with these secrets from now on.
    package mutating func accept(_ secrets: [ServerSecret]) { verifier.accept(secrets) }

    /// The claims of a token whose signature and times are good, whether it was revoked or not.
    ///
    /// - Parameters:
    ///   - errands: of nodes, whose tokens are good here; a node's token opens nothing else, and is no person's. Nil for any.
    ///   - tick: the loop's clock.
    package func claims(
        of token: String, openTo errands: Set<NodeErrand>?, at now: Timestamp, tick: Int64
    ) throws(RefusedToken) -> Claims {
        let claims: Claims
        do throws(AuthenticationFailure) {
            claims = try verifier.verify(token, at: now)
        } catch {
            throw judge(error, at: tick)
        }
        if let errand = claims.errand, let errands, !errands.contains(errand) { throw RefusedToken(of: errand) }
        return claims
    }

    /// The meaning of a failure for the client.
    ///
    /// A key that is not known is the token's fault only if the issuer was asked a moment ago; else nobody is at fault,
    /// and the client repeats with the same token while the keys are fetched.
    private func judge(_ failure: AuthenticationFailure, at tick: Int64) -> RefusedToken {
        switch failure {
        case .keysMissing(let issuer): return RefusedToken(failure, whileFetching: issuer)
        case .keyUnknown(let issuer):
            if let at = confirmedAt[issuer], tick - at < wantedMilliseconds { break }
            return RefusedToken(failure, whileFetching: issuer)
        default: break
        }
        return RefusedToken(failure)
    }
}
