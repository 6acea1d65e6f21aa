package import Authentication
import ClientProtocol
import Model

/// The issuers whose tokens a loop accepts at present, and the answer to tokens that it cannot judge.
///
/// - Confinement: any
package struct TokenCheck: Sendable {
    /// The answer to a token that was not accepted.
    struct Judgement {
        let refusal: Refusal
        /// The issuer whose keys should be fetched.
        var wanted: String?
    }

    private(set) var verifier: TokenVerifier
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
    var keyless: [String] { verifier.issuers.filter { $0.keys == nil }.map(\.issuer) }

    /// An issuer's keys are these.
    mutating func learn(_ issuer: TrustedIssuer, at now: Int64) {
        guard let index = verifier.issuers.firstIndex(where: { $0.issuer == issuer.issuer }) else { return }
        verifier.issuers[index] = issuer
        confirmedAt[issuer.issuer] = now
    }

    /// The server's own tokens are signed with these secrets from now on.
    mutating func accept(_ secrets: [ServerSecret]) { verifier.accept(secrets) }

    /// The meaning of a failure for the client.
    ///
    /// A key that is not known is the token's fault only if the issuer was asked a moment ago; else nobody is at fault,
    /// and the client repeats with the same token while the keys are fetched.
    ///
    /// - Parameter now: the loop's clock.
    func judge(_ failure: AuthenticationFailure, at now: Int64) -> Judgement {
        switch failure {
        case .keysMissing(let issuer): return unjudged(failure, issuer)
        case .keyUnknown(let issuer):
            if let at = confirmedAt[issuer], now - at < wantedMilliseconds { break }
            return unjudged(failure, issuer)
        default: break
        }
        let code: ErrorCode = failure.isExpired ? .tokenExpired : .unauthenticated
        return Judgement(refusal: Refusal(code, "\(failure)", field: "token"))
    }

    private func unjudged(_ failure: AuthenticationFailure, _ issuer: String) -> Judgement {
        let refusal = Refusal(
            .unavailable, "\(failure); the server is fetching them; repeat this with the same token", field: "token",
            retryAfterMilliseconds: IssuerKeyLimits.clientWaitMilliseconds)
        return Judgement(refusal: refusal, wanted: issuer)
    }
}
