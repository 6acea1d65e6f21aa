import ClientProtocol
import Configuration
import EventLoop
import Fanout
import Mail
import Model
import Synchronization
import Telemetry

extension Session {
    /// A publication was committed in a stream that this session is subscribed to.
    ///
    /// - Returns: true when it was written; false when the session has it already, or will read it from the log.
    func deliver(_ framed: FramedPublication) -> Bool {
        guard case .ready(let identity) = state else { return false }
        if framed.publication.document != nil, !identity.watches.admit(framed.publication) { return false }
        if let reach = framed.publication.reach {
            guard let person = identity.person, reach.isFor(person.id, in: identity.zone) else { return false }
        }
        let wasLive = identity.cursor.mode == .live
        guard identity.cursor.offer(framed.publication.position, queuedBytes: queuedBytes) else {
            if wasLive, identity.cursor.mode == .behind {
                server.settings.metrics.slowSessions.add(1, ordering: .relaxed)
            }
            return false
        }
        if let variant = silentVariant(of: framed, for: identity) {
            tcp.write(frame(variant, for: identity.language))
        } else {
            tcp.write(frame(framed, for: identity.language))
        }
        switch framed.publication.unread {
        case .unchanged: break
        case .oneMore:
            updateCounts { $0.addNotification(at: framed.publication.position) }
        case .recount:
            if let person = identity.person, identity.counts.oweRecount(at: framed.publication.position) {
                server.recount(person.id, at: framed.publication.position)
            }
        }
        return true
    }

    /// The user's counts were these at a position; tells the client if that is new.
    func setCounts(_ counts: UnreadCounts, asOf position: Position) {
        updateCounts { $0.set(counts, asOf: position) }
    }

    /// The user's counts were read as of a position, after something was taken away.
    func recounted(_ counts: UnreadCounts, asOf position: Position) {
        // Who is not live gets them with a page, which is newer than what was taken away.
        guard let identity, identity.counts.isRecountOwed, identity.cursor.mode == .live else { return }
        setCounts(counts, asOf: position)
    }

    private func updateCounts(_ change: (inout CountsTold) -> Void) {
        guard let identity else { return }
        change(&identity.counts)
        guard identity.cursor.mode == .live else { return }
        if let counts = identity.counts.tell() {
            if identity.isPlain { tcp.write(server.countFrames[counts]) } else { send(Event.unread(counts)) }
        }
        if identity.areCountsCurrent { answerRenewals(identity) }
    }

    /// Up to here nothing for this session is missing on its socket: a live one has looked through all that its loop has
    /// delivered.
    func lookedThrough(_ identity: SessionIdentity) -> Position {
        let position = identity.cursor.position
        return identity.cursor.mode == .live ? max(position, server.recent.head) : position
    }

    /// The user chose another language.
    func setChosenLanguage(_ language: LanguageTag?) {
        identity?.setChosenLanguage(language)
    }

    /// The socket takes more again: reads on from the log where it stopped.
    func drained() {
        if !isResting { tcp.resumeReading() }
        if identity?.cursor.drained() == true { readPage() }
        runQueue()
    }

    /// What the policy for the slow goes by: full from when the queue passed its bound until the socket says that it
    /// has drained. Whoever waits for the socket is then certain to be told.
    var queuedBytes: Int { tcp.isCongested ? Limits.queuedBytesMax : 0 }

    /// Timers, coarse on purpose: a second more or less changes nothing, and an idle session costs a look.
    func eachSecond() {
        let now = server.loop.now
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
        if now >= messageDeadline { close(.stalled) }
        queue.rest()
    }

    /// Announces the token's end when it is near, and ends the session when it has come.
    func checkExpiry() {
        let remaining = expiresAt.milliseconds - server.settings.clock.now().milliseconds
        switch expiry.due(remaining: remaining, announceAt: Limits.expiringMilliseconds) {
        case .nothing: break
        case .announce: send(Event.expiring(at: expiresAt))
        case .end: close(.unauthenticated)
        }
    }

    private func beat(_ identity: SessionIdentity, at now: Int64) {
        // Somebody who is behind sees no ping for a while, and is not listened to; being stalled is for him.
        if tcp.isCongested { pulse.heard(at: now) }
        switch pulse.due(at: now, everyMilliseconds: server.settings.configuration.heartbeatMilliseconds) {
        case .nothing: break
        case .beat: sendBeat(identity)
        case .ping:
            tcp.write(framing.signOfLife)
            sendBeat(identity)
            // Who cannot answer is not waited for; a peer that is gone takes nothing, and is stalled.
            if framing.isOneWay { pulse.heard(at: now) }
        case .giveUp: close(.noPong)
        }
    }

    /// Says where the session stands, also to one that no event was for since long: it says so when it comes back.
    private func sendBeat(_ identity: SessionIdentity) {
        guard identity.cursor.mode == .live, tcp.queuedBytes < Limits.queuedBytesMax else { return }
        let position = lookedThrough(identity)
        send(Event.beat(events: identity.cursor.eventCount, seq: position), at: position)
    }
}
