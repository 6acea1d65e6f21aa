import Admin
import ClientProtocol
import EventLoop
import Execution
import Fanout
import Model
import Notifying
import Synchronization
import Telemetry
import ThreadMessages

/// Applies what a commit changes for the sessions of one loop besides events, and sends signals, which are not in the log.
///
/// - Confinement: loop
final class ChangeDelivery {
    private let number: Int
    private let settings: LoopSettings
    private let door: SessionDoor
    private let hub: Hub
    private let table: ConnectionTable
    private let turn: TurnLoad

    /// - Parameter number: of the loop.
    init(ofLoop number: Int, _ door: SessionDoor, _ table: ConnectionTable, _ turn: TurnLoad) {
        self.number = number
        settings = door.settings
        self.door = door
        hub = door.hub
        self.table = table
        self.turn = turn
    }

    /// A change was committed.
    func apply(_ change: SessionChange) {
        switch change {
        case .subscription(let user, let stream, let isOn):
            hub.setSubscription(of: user, to: stream, isOn: isOn)
            if !isOn { forEachSession(of: user) { $0.watching?.endAll(following: stream) } }
        case .accessRules(let text): applyRules(text)
        case .unread(let user, let counts, let position):
            forEachSession(of: user) { $0.setCounts(counts, asOf: position) }
        case .roomRead(let users, let room, let position):
            for user in users { forEachSession(of: user) { $0.roomRead(room, asOf: position) } }
        case .language(let user, let language):
            forEachSession(of: user) { $0.identity?.setChosenLanguage(language) }
        case .preferences(let user, let stored, let isHidden):
            send(door.presence.setVisibility(of: user, isHidden: isHidden))
            guard !hub.subscribers(of: user).isEmpty else { return }
            let preferences = stored.map { StoredPreferences($0) }
            forEachSession(of: user) { $0.identity?.setPreferences(preferences) }
        case .digestBegins(let user, let position):
            forEachSession(of: user) { $0.identity?.digestFirst = position }
        case .snoozed, .archived: break
        case .revoked(let revocation): door.tokens.revoke(revocation)
        case .revocationLifted(let subject): door.tokens.lift(subject)
        case .kicked(let user, let reason): kick(user, reason: reason)
        case .blocked(let other, let user, let isOn):
            for news in door.presence.setBlock(between: user, and: other, isOn: isOn) { send(news) }
        case .banned(let ban):
            door.tokens.ban(ban)
            // The refusal of the next hello has the reason, which may be longer than a close frame.
            kick(ban.user, reason: ban.kind == .ban ? "banned" : ban.kind.rawValue)
        case .banLifted(let user, let kind): door.tokens.liftBan(of: user, kind)
        case .online(let notice): deliver(notice)
        case .erased(let user, let name, let key):
            door.tokens.erase(name, key: key)
            if let user { kick(user, reason: "erased") }
        case .erasureEnded: break
        case .unlogged(let stream):
            for slot in door.watchers.end(stream) { table.withSession(in: slot) { $0.watching?.endUnlogged(stream) } }
        }
    }

    private func forEachSession(of user: StreamID, _ body: (ServerSession) -> Void) {
        for slot in hub.subscribers(of: user) { table.withSession(in: slot, body) }
    }

    /// The table of access rules has changed with the commit that is being delivered.
    private func applyRules(_ text: String) {
        let slots = door.watchers.slots
        guard !slots.isEmpty else { return }
        let rules: AccessRules
        do {
            rules = try AccessRules(StoredJSON.object(text, place: "rules"))
        } catch {
            // They were compiled before they were stored; if that fails now, nobody may watch.
            settings.log.error("the access rules cannot be read", ["error": "\(error)"])
            rules = AccessRules()
        }
        for slot in slots { table.withSession(in: slot) { $0.watching?.apply(rules) } }
    }

    /// A user's counts were read again.
    func counted(_ user: StreamID, _ counts: UnreadCounts, asOf snapshot: Position) {
        door.counts.arrived(user, counts, asOf: snapshot) { slot in
            table.session(in: slot)?.identity?.zone ?? ZoneClock.utc.name
        } give: { slot, counts, position in
            table.withSession(in: slot) { $0.delivery?.recounted(counts, asOf: position) }
        }
    }

    /// Sends everybody who is online an event that is not in the log. Those who would get a notification to everyone are the
    /// receivers: their sessions are subscribed to its stream.
    private func deliver(_ notice: OnlineNotice) {
        let frames = NoticeFrames(notice)
        var delivered = 0
        hub.subscribers(of: .everyone).forEach { slot in
            table.withSession(in: slot) { if $0.take(frames) { delivered += 1 } }
        }
        guard delivered > 0, notice.facts != nil else { return }
        settings.metrics.deliveries.add(delivered)
        settings.metrics.delivered(delivered, ofBroadcast: notice.broadcast)
    }

    // MARK: The end of sessions

    // A session is looked at once for a commit, however many revocations the commit contains: that costs a look at each
    // connection of the loop, and no index for each token.

    /// Ends the sessions whose tokens the commit that was just delivered has revoked.
    func endRevokedSessions() {
        guard door.tokens.takeNewRevocations() else { return }
        let ended = endSessions { [tokens = door.tokens] session in
            guard let bearer = session.bearer, tokens.isRevoked(bearer) else { return false }
            session.endRevoked()
            return true
        }
        settings.metrics.revokedSessions.add(ended)
        guard ended > 0 else { return }
        settings.log.info("ended sessions of revoked tokens", ["loop": "\(number)", "sessions": "\(ended)"])
    }

    /// Ends the sessions of a user.
    private func kick(_ user: UserID, reason: String) {
        let ended = endSessions { session in
            guard session.bearer?.user == user else { return false }
            session.close(.kicked, reason: reason)
            return true
        }
        settings.metrics.kickedSessions.add(ended)
        guard number == 0 || ended > 0 else { return }
        settings.log.info(
            "kicked a user",
            ["user": door.tokens.shown(user), "loop": "\(number)", "sessions": "\(ended)", "reason": reason])
    }

    private func endSessions(_ ends: (ServerSession) -> Bool) -> Int {
        var count = 0
        table.forEachSession { if ends($0) { count += 1 } }
        return count
    }

    // MARK: Signals

    /// Sends a signal to the sessions of some inboxes; or, where they are a room's stream and inboxes, to the sessions
    /// of the room's members without those of the inboxes.
    func send(_ signal: FramedSignal, to streams: [StreamID]) {
        guard let room = streams.first, case .chat = room.kind else {
            return streams.forEach { send(signal, to: $0) }
        }
        send(signal, to: room, except: streams.dropFirst().map { hub.subscribers(of: $0) }, isForMany: true)
    }

    /// Sends a signal to the sessions of a stream. In a room and in a crowd, sessions that have not taken earlier bytes are left
    /// out, and in a crowd everybody is when crowds have had much in this turn: what one user does to another's many
    /// sessions must not hold up all others.
    private func send(
        _ signal: FramedSignal, to stream: StreamID, except apart: [Subscribers] = [], isForMany: Bool = false
    ) {
        let slots = hub.subscribers(of: stream)
        let isCrowd = slots.count >= Limits.crowdSessionsMin
        guard !isCrowd || turn.maySignal(slots.count) else {
            settings.metrics.signalsDropped.add(slots.count)
            return
        }
        let queuedMax = isCrowd || isForMany ? Limits.crowdQueueBytesMax : .max
        slots.forEach { slot in
            guard !apart.contains(where: { $0.contains(slot) }) else { return }
            table.withSession(in: slot) { session in
                if session.tcp.queuedBytes < queuedMax { session.delivery?.sendEphemeral(signal) }
            }
        }
    }

    /// Sends the sessions that observe a user what has become of them.
    func send(_ news: LoopPresence.News?) {
        guard let news else { return }
        for slot in news.slots { table.withSession(in: slot) { $0.delivery?.sendEphemeral(news.signal) } }
    }
}

@available(*, unavailable)
extension ChangeDelivery: Sendable {}
