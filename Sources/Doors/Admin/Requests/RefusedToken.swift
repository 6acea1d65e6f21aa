import Authentication
package import ClientProtocol
import Model
package import Telemetry

/// A token that was not accepted: the reason in a word, and the answer.
///
/// - Confinement: any
package struct RefusedToken: Error {
    let word: String
    package let refusal: Refusal
    /// The issuer whose keys should be fetched.
    package private(set) var wanted: String?

    init(_ failure: AuthenticationFailure) {
        word = failure.word
        refusal = Refusal(failure.isExpired ? .tokenExpired : .unauthenticated, "\(failure)", field: "token")
    }

    /// Nobody is at fault: the keys of the issuer come.
    init(_ failure: AuthenticationFailure, whileFetching issuer: String) {
        word = failure.word
        refusal = Refusal(
            .unavailable, "\(failure); the server is fetching them; repeat this with the same token", field: "token",
            retryAfterMilliseconds: IssuerKeyLimits.clientWaitMilliseconds)
        wanted = issuer
    }

    /// A node's token, for something else.
    init(of errand: NodeErrand) {
        word = "errand"
        refusal = Refusal(
            .unauthenticated, "the token is a node's, for \(errand.rawValue), and opens nothing here", field: "token")
    }

    /// A good token of somebody who may not come in, or a revoked one.
    package init(_ refusal: Refusal) {
        word = refusal.code == .tokenRevoked ? "revoked" : "restricted"
        self.refusal = refusal
    }

    /// Counts it, and says in the log which token it was: so an operator finds out why somebody cannot sign in. The token itself is in
    /// no line.
    ///
    /// - Parameter address: of the client.
    package func note(of token: String, from address: String, _ metrics: Metrics, _ log: ServerLog) {
        metrics.tokensRefused.add(1, word)
        guard log.tellsInfo else { return }
        let clues = TokenClues(token)
        log.info(
            "refused a token",
            [
                "reason": word, "issuer": clues.issuer ?? "none", "audience": clues.audience ?? "none",
                "key": clues.keyID ?? "none", "algorithm": clues.algorithm ?? "none", "address": address,
            ], alike: word)
    }
}
