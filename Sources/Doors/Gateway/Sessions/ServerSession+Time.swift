import ClientProtocol
import Configuration
import EventLoop
import Fanout
import Model
import Services
import Telemetry
import ThreadMessages

// The log that the session reads on from, and its time. Replies and events of one connection come in the order of their
// positions. A live session gets both in the order of the commits. While it reads on from the log, its events come by
// pages; the outcome of a write then waits for the events before it. A page may also be ahead of the commits: it waits for
// them while the outcome of a write is awaited, so that no event overtakes a reply either.
extension ServerSession {
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
