import Authentication
import ClientProtocol
import EventLoop
import Fanout
import Mail
import Synchronization
import Telemetry

extension LoopServer: RequestDoor {
    var keylessIssuers: [String] { tokens.keyless }
    var onlineCount: Int { presence.onlineCount }

    /// The claims of a token that opens something.
    ///
    /// - Throws: `Refusal` of the class `auth`, also when it was revoked.
    func verify(token: String) throws(Refusal) -> Claims {
        let claims = try read(token: token)
        try check(claims)
        return claims
    }

    /// The claims of a token whose signature and times are good, revoked or not.
    ///
    /// - Throws: `Refusal` of the class `auth`; of the class `retry` when the issuer's key is not known yet, which is
    ///   then asked for.
    func read(token: String) throws(Refusal) -> Claims {
        do {
            return try tokens.verifier.verify(token, at: settings.clock.now())
        } catch {
            let judgement = tokens.judge(error, at: loop.now)
            if judgement.refusal.code == .unavailable {
                settings.metrics.tokensUnjudged.add(1, ordering: .relaxed)
            }
            if let issuer = judgement.wanted { settings.mail.issuers?.post(.keyWanted(issuer: issuer)) }
            throw judgement.refusal
        }
    }
}
