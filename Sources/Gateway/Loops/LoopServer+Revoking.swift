import Authentication
import ClientProtocol
import EventLoop
import Mail
import Model
import Services
import Synchronization
import Telemetry

// Revocations and kicks reach every loop as steps of the commit that stored them. A session is looked at once for a
// commit, however many revocations it holds: that costs a look for each connection of the loop, no index for each token.
extension LoopServer {
    /// - Throws: `Refusal` (`token-revoked`) when the token of these claims was revoked.
    func check(_ claims: Claims) throws(Refusal) {
        let isRevoked = revocations.cover(
            tokenID: claims.tokenID, of: claims.subject, issuedAt: claims.issuedAt, at: settings.clock.now())
        if isRevoked { throw Refusal(.tokenRevoked, "the token was revoked; a new one is needed", field: "token") }
    }

    /// Tokens are revoked from here on.
    func revoke(_ revocation: Revocation) {
        revocations.add(revocation, at: settings.clock.now())
        mustLookAtTokens = true
        noteRevocations()
        guard number == 0 else { return }
        switch revocation.subject {
        case .token(let id):
            settings.log.info("revoked a token", ["jti": id, "until": revocation.until.text])
        case .user(let user, let time):
            settings.log.info(
                "revoked the tokens of a user",
                ["user": user.text, "before": time.text, "until": revocation.until.text])
        }
    }

    /// Tokens that were revoked are worth something again.
    func lift(_ subject: Revocation.Subject) {
        revocations.lift(subject)
        noteRevocations()
        if number == 0 { settings.log.info("lifted a revocation", ["subject": "\(subject)"]) }
    }

    /// Ends the sessions of a user.
    func kick(_ user: UserID, reason: String) {
        var ended = 0
        forEachSession { session in
            guard session.bearer?.user == user else { return }
            session.close(.kicked, reason: reason)
            ended += 1
        }
        settings.metrics.kickedSessions.add(ended, ordering: .relaxed)
        guard number == 0 || ended > 0 else { return }
        settings.log.info(
            "kicked a user", ["user": user.text, "loop": "\(number)", "sessions": "\(ended)", "reason": reason])
    }

    /// Ends the sessions whose tokens the commit that was just taken in has revoked.
    func endRevokedSessions() {
        guard mustLookAtTokens else { return }
        mustLookAtTokens = false
        let now = settings.clock.now()
        var ended = 0
        forEachSession { session in
            guard let bearer = session.bearer,
                revocations.cover(
                    tokenID: bearer.tokenID, of: bearer.user, issuedAt: bearer.issuedAt, at: now)
            else { return }
            session.endRevoked()
            ended += 1
        }
        settings.metrics.revokedSessions.add(ended, ordering: .relaxed)
        if ended > 0 {
            settings.log.info(
                "ended sessions of revoked tokens", ["loop": "\(number)", "sessions": "\(ended)"])
        }
    }

    /// All loops hold the same: one counts them.
    func noteRevocations() {
        if number == 0 { settings.metrics.revocations.store(revocations.count, ordering: .relaxed) }
    }
}

/// By what a session's token can be found again when it is revoked.
///
/// - Confinement: any
struct Bearer {
    let user: UserID
    let tokenID: String?
    let issuedAt: Timestamp?
}

extension Session {
    /// Whose token opened the session; nil before `hello`, after the end, and without one.
    var bearer: Bearer? {
        switch state {
        case .starting(let greeting):
            guard let claims = greeting.claims else { return nil }
            return Bearer(user: claims.subject, tokenID: claims.tokenID, issuedAt: claims.issuedAt)
        case .ready(let identity):
            guard let person = identity.person else { return nil }
            return Bearer(user: person.name, tokenID: tokenID, issuedAt: issuedAt)
        case .waitingForHello, .closing: return nil
        }
    }

    /// The session's token was revoked: what has not begun is refused, then it ends.
    func endRevoked() {
        let refusal = Refusal(.tokenRevoked, "the token was revoked; repeat this with a new one")
        for waiting in queue.takeWaiting() { refuse(waiting.envelope.id, refusal) }
        close(.unauthenticated, reason: "token revoked")
    }
}
