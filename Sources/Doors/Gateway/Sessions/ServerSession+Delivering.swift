import ClientProtocol
import Configuration
import EventLoop
import Fanout
import ThreadMessages
import Model
import Notifying
import Services
import Telemetry

// Events and outcomes that come from the loop. Replies and events of one connection come in the order of their
// positions. A live session gets both in the order of the commits. While it reads on from the log, its events come by pages; the outcome of a write
// then waits for the events before it. A page may also be ahead of the commits: it waits for them while the outcome of a
// write is awaited, so that no event overtakes a reply either.
extension ServerSession {
    /// A publication was committed in a stream that this session is subscribed to.
    ///
    /// - Returns: true when it was written; false when the session has it already, or will read it from the log.
    func deliver(_ framed: FramedPublication) -> Bool {
        guard case .ready(let identity) = state else { return false }
        return identity.take(framed, as: framing, at: address.slot, door)
    }

    func setCounts(_ counts: UnreadCounts, asOf position: Position) {
        guard let identity else { return }
        identity.counts.set(counts, asOf: position)
        identity.sendCounts(as: framing, door)
        if identity.areCountsCurrent { answerRenewals(identity) }
    }

    /// The user has nothing unread in a room any more.
    func roomRead(_ room: StreamID, asOf position: Position) {
        identity?.roomRead(room, asOf: position, as: framing, door)
    }

    /// The user's counts were read as of a position, after something was removed.
    func recounted(_ counts: UnreadCounts, asOf position: Position) {
        // A session that is not live gets them with a page, which is newer than the removal.
        guard let identity, identity.counts.isRecountOwed, identity.cursor.mode == .live else { return }
        setCounts(counts, asOf: position)
    }

    /// Sends a message that is not in the log. Dropped when the socket does not take more: it would be old when it arrives.
    ///
    /// - Returns: whether it was written.
    @discardableResult
    func sendEphemeral(_ signal: FramedSignal) -> Bool {
        guard case .ready(let identity) = state, identity.cursor.mode == .live,
            tcp.queuedBytes < Limits.queuedBytesMax
        else { return false }
        tcp.write(framing.isOneWay ? framing.frame(signal.event.json, named: signal.event.name) : signal.frame)
        return true
    }

    /// An event for those who are online was committed.
    ///
    /// - Returns: whether it was written.
    @discardableResult
    func take(_ frames: NoticeFrames) -> Bool {
        guard let identity, identity.person != nil else { return false }
        let silence = frames.notice.facts.flatMap { facts in
            // It is in no inbox, so no look-back digest collects it.
            identity.preferences?.readerReason(against: facts, beginsDigest: true) { stream in
                door.hub.isSubscribed(address.slot, to: stream)
            }
        }
        guard sendEphemeral(frames.signal(in: identity.language, because: silence)) else { return false }
        if let silence { door.settings.metrics.silenced.count(silence) }
        return true
    }

    /// The socket takes more again: reads on from the log where it stopped.
    func drained() {
        if !isResting { tcp.resumeReading() }
        if let identity, identity.cursor.drained() { LogReading(self, identity).readPage() }
        SessionCommands(self).runQueue()
    }

    /// A page of the log was read: sends it, at once or when the loop has delivered as much.
    func readOn(_ reading: SessionReading) {
        guard case .ready(let identity) = state, identity.cursor.mode == .reading else { return }
        if queue.isAwaitingWrites, door.log.head < reading.start.head { return door.pages.hold(reading, for: address) }
        let writes = queue.count
        LogReading(self, identity).take(reading)
        // A command that was answered makes room for the next ones.
        if queue.count != writes { SessionCommands(self).goOn() }
    }

    /// A write was committed, or refused: answers it when the events before it were sent.
    func answerWrite(_ id: RequestID?, _ outcome: Outcome) {
        let position = door.log.deliveredUpTo
        guard let identity, identity.cursor.mode != .live,
            position > identity.cursor.position || identity.heldAnswers?.isEmpty == false
        else { return finish(id, outcome, .write) }
        identity.holdAnswers().append(HeldAnswers.Answer(id: id, outcome: outcome, position: position))
    }

    /// Answers a `hello` that renewed the token, when the counts to be sent with it are known.
    func answerRenewal(_ id: RequestID?, _ identity: SessionIdentity) {
        guard let id, let person = identity.person else { return }
        if identity.areCountsCurrent {
            answer(id) { identity.helloBody(person.name, of: self).write(to: &$0) }
        } else if !identity.holdAnswers().appendRenewal(id) {
            refuse(id, Refusal(.tooMany, "too many hellos wait for their answers", retryAfterMilliseconds: 1000))
        }
    }

    /// The counts are known now.
    private func answerRenewals(_ identity: SessionIdentity) {
        guard let held = identity.heldAnswers else { return }
        for id in held.takeRenewals() { answerRenewal(id, identity) }
    }

    // MARK: Time

    /// Timers, coarse on purpose: a second more or less changes nothing, and an idle session costs a look.
    func eachSecond() {
        let now = door.loop.now
        switch state {
        case .waitingForHello(let deadline):
            if now >= deadline { close(.noHello) }
        case .ready(let identity):
            if tcp.stalledMilliseconds >= Limits.stalledMilliseconds { return close(.stalled) }
            closeIfDrained()
            checkExpiry()
            beat(identity, at: now)
        case .starting, .closing:
            break
        }
        if intake.isOverdue(at: now) { close(.stalled) }
        queue.rest()
    }

    /// Announces the token's end when it is near, and ends the session when it has come.
    func checkExpiry() {
        switch token.due(at: door.settings.clock.now()) {
        case .nothing: break
        case .announce: send(Event.expiring(at: token.expiresAt))
        case .end: close(.unauthenticated)
        }
    }

    private func beat(_ identity: SessionIdentity, at now: Int64) {
        // A congested client sees no ping for a while, and is not listened to; the check for stalled sockets is for it.
        if tcp.isCongested { pulse.heard(at: now) }
        switch pulse.due(at: now, everyMilliseconds: door.settings.configuration.heartbeatMilliseconds) {
        case .nothing: break
        case .beat: sendBeat(identity)
        case .ping:
            tcp.write(framing.signOfLife)
            sendBeat(identity)
            // A client that cannot answer is not waited for; a peer that is gone takes nothing, and is stalled.
            if framing.isOneWay { pulse.heard(at: now) }
        case .giveUp: close(.noPong)
        }
    }

    /// Says where the session stands, also to a client that got no event for long: it says so when it comes back.
    private func sendBeat(_ identity: SessionIdentity) {
        guard identity.cursor.mode == .live, tcp.queuedBytes < Limits.queuedBytesMax else { return }
        let position = identity.lookedThrough(door.log)
        send(Event.beat(events: identity.cursor.eventCount, seq: position), at: position)
    }
}
