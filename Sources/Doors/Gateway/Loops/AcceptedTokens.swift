import Admin
import Authentication
import ClientProtocol
import EventLoop
import Execution
import Model
import Synchronization
import Telemetry
import ThreadMessages

/// Which tokens one loop accepts: whose signatures it can verify, and which tokens were revoked.
///
/// - Confinement: loop
final class AcceptedTokens {
    private let number: Int
    private let loop: Loop
    private let settings: LoopSettings
    private var signatures: TokenCheck
    private var revocations: Revocations
    /// Of users; also those that are over. A banned user's account may be closed as well.
    private var bans: [UserID: [Restriction]]
    private var erased: ErasedNames
    /// Whether tokens were revoked since the sessions were last looked at.
    private var hasNewRevocations = false

    /// - Parameter number: of the loop. All loops hold the same revocations: the first one counts and logs them.
    init(ofLoop number: Int, _ loop: Loop, _ settings: LoopSettings) {
        self.number = number
        self.loop = loop
        self.settings = settings
        signatures = settings.tokens
        revocations = settings.opened.revocations
        erased = settings.opened.erased
        bans = Dictionary(grouping: settings.opened.bans, by: \.user)
        noteRevocations()
    }

    /// Issuers that are trusted, but whose keys are not here yet.
    var keylessIssuers: [String] { signatures.keyless }

    /// An issuer's keys are these, as of now.
    func learn(_ issuer: TrustedIssuer) { signatures.learn(issuer, at: loop.now) }

    /// The server's own tokens are signed with these secrets from now on; open sessions keep theirs.
    func accept(_ secrets: [ServerSecret]) { signatures.accept(secrets) }

    /// The claims of a token that is good and was not revoked.
    ///
    /// - Parameters:
    ///   - errands: of nodes, whose tokens are good here. A node's token opens nothing else, and is no person's.
    ///   - address: of the client, for the log; nil where the token was looked at before: then a refusal is not counted again.
    /// - Throws: `Refusal` of the class `auth`; of the class `retry` when the issuer's key is not known yet.
    func verify(
        token: String, openTo errands: Set<NodeErrand> = [], from address: @autoclosure () -> String?
    ) throws(Refusal) -> Claims {
        do throws(RefusedToken) {
            let claims = try signatures.claims(of: token, openTo: errands, at: settings.clock.now(), tick: loop.now)
            do throws(Refusal) { try check(claims) } catch { throw RefusedToken(error) }
            return claims
        } catch {
            if let address = address() { error.note(of: token, from: address, settings.metrics, settings.log) }
            throw answer(to: error)
        }
    }

    /// The claims of a token whose signature and times are good, whether it was revoked or not. A key that is not known
    /// is asked for.
    ///
    /// - Throws: errors as of ``verify(token:openTo:from:)``.
    func read(token: String) throws(Refusal) -> Claims {
        do throws(RefusedToken) {
            return try signatures.claims(of: token, openTo: nil, at: settings.clock.now(), tick: loop.now)
        } catch {
            throw answer(to: error)
        }
    }

    private func answer(to refused: RefusedToken) -> Refusal {
        if refused.refusal.code == .unavailable { settings.metrics.tokensUnjudged.add(1) }
        if let issuer = refused.wanted { settings.mail.issuers?.post(.keyWanted(issuer: issuer)) }
        return refused.refusal
    }

    /// Checks whether the token of these claims was revoked.
    ///
    /// - Throws: `Refusal` (`token-revoked`) when it was; `forbidden` for the token of a user who is banned or erased.
    func check(_ claims: Claims) throws(Refusal) {
        let bearer = Bearer(user: claims.subject, tokenID: claims.tokenID, issuedAt: claims.issuedAt)
        try check(bearer, isAdmin: claims.isAdmin)
    }

    /// The same of a token that was verified elsewhere.
    ///
    /// - Parameter isAdmin: whether an administrator bears it: no ban and no erasure ends that.
    func check(_ bearer: Bearer, isAdmin: Bool) throws(Refusal) {
        if isRevoked(bearer) {
            throw Refusal(.tokenRevoked, "the token was revoked; a new one is needed", field: "token")
        }
        guard !isAdmin else { return }
        let now = settings.clock.now()
        try erased.check(bearer.user, issuedAt: bearer.issuedAt, at: now)
        guard !bans.isEmpty, let ban = bans[bearer.user]?.first(where: { $0.holds(at: now) }) else { return }
        throw ban.refusal(at: now)
    }

    /// Whether the token of these claims has neither expired nor been revoked. A node's token only has to be good when its
    /// copy begins: it is short, and a copy may be long.
    func areGood(_ claims: Claims) -> Bool {
        (claims.expiresAt > settings.clock.now() || claims.errand != nil)
            && !areRevoked(tokenID: claims.tokenID, of: claims.subject, issuedAt: claims.issuedAt)
    }

    /// Whether the token of a session was revoked.
    func isRevoked(_ bearer: Bearer) -> Bool {
        areRevoked(tokenID: bearer.tokenID, of: bearer.user, issuedAt: bearer.issuedAt)
    }

    private func areRevoked(tokenID: String?, of user: UserID, issuedAt: Timestamp?) -> Bool {
        revocations.cover(tokenID: tokenID, of: user, issuedAt: issuedAt, at: settings.clock.now())
    }

    /// Tokens are revoked from here on.
    func revoke(_ revocation: Revocation) {
        revocations.add(revocation, at: settings.clock.now())
        hasNewRevocations = true
        noteRevocations()
        guard number == 0 else { return }
        settings.log.info("revoked tokens", ["of": shown(revocation.subject), "until": revocation.until.text])
    }

    /// A user may not come in from here on.
    func ban(_ ban: Restriction) { bans[ban.user] = (bans[ban.user] ?? []).filter { $0.kind != ban.kind } + [ban] }

    /// A person is erased from here on, or the name may come in again.
    func erase(_ name: ErasedName, key: String) { erased.put(name, key: key) }

    /// Whether a name is that of an erased person.
    func isErased(_ user: UserID) -> Bool { erased.has(user, at: settings.clock.now()) }

    /// The name of a user in the server's log.
    func shown(_ user: UserID) -> String { isErased(user) ? AdministratorLine.erased : user.text }

    /// A restriction of the kind has ended.
    func liftBan(of user: UserID, _ kind: Restriction.Kind) { bans[user]?.removeAll { $0.kind == kind } }

    /// Tokens that were revoked are accepted again.
    func lift(_ subject: Revocation.Subject) {
        revocations.lift(subject)
        noteRevocations()
        if number == 0 { settings.log.info("lifted a revocation", ["of": shown(subject)]) }
    }

    /// Whether tokens were revoked since the last call, so that the sessions are to be looked at.
    func takeNewRevocations() -> Bool {
        defer { hasNewRevocations = false }
        return hasNewRevocations
    }

    private func shown(_ subject: Revocation.Subject) -> String {
        switch subject {
        case .token(let id): "token \(id)"
        case .user(let user, let time): "user \(shown(user)) before \(time.text)"
        }
    }

    private func noteRevocations() {
        if number == 0 { settings.metrics.revocations.set(revocations.count) }
    }
}

@available(*, unavailable)
extension AcceptedTokens: Sendable {}

/// By what a session's token can be found when it is revoked.
///
/// - Confinement: any
struct Bearer {
    let user: UserID
    let tokenID: String?
    let issuedAt: Timestamp?
}
