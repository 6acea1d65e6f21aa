package import ClientProtocol
import JSON
import Model

/// One device's session across any number of connections, without I/O: commands, messages and the time in, actions out.
///
/// ```
/// idle → connecting → waitingForHello → online ─┐
///          ↑  ↑            │               │    │ stop, 44xx, refused
///          │  └─ waiting ← disconnecting ←─┘    ↓
///          └───── backoff ┘                   ended
/// ```
/// A command that is to be sent until it is answered stays in the outbox through reconnects and goes out again with the
/// same key, so it is done exactly once. Times are milliseconds of any monotonic clock.
/// - Confinement: any
package struct ClientSessionState: Sendable {
    /// Where the session stands; each case carries what is known there.
    enum Phase: Sendable, Equatable {
        case idle
        case waiting(until: Int64)
        case connecting(until: Int64)
        case waitingForHello(id: Int64, until: Int64)
        case online(Online)
        case disconnecting
        case ended
    }

    /// A connection whose `hello` was taken.
    struct Online: Sendable, Equatable {
        let epoch: Epoch
        var isLive = false
        /// Whether `reset` came, but not yet the `live` after it: until then the cursor does not change.
        var isReset = false
        var silenceMaxMilliseconds: Int64
        /// A `hello` that renews the token is under way.
        var renewalID: Int64?
    }

    /// Auth refusals in a row after which a new token is not tried any more.
    static let authFailuresMax = 2

    let configuration: ClientSessionConfiguration
    var phase = Phase.idle
    /// What this device has: the next connect asks for what follows.
    package internal(set) var cursor: ResumePoint?
    /// Times a connection was lost after it had been online.
    package internal(set) var reconnects = 0
    var outbox = Outbox()
    var actions: [ClientSessionAction] = []
    var random: JitterSource
    var connectBackoff: Backoff
    var commandBackoff: Backoff
    var nextID: Int64 = 1
    /// Durable events of this connection, doubled ones too: what `beat` counts.
    var durableCount: Int64 = 0
    var heardAt: Int64 = 0
    /// `bye.reconnectInMs` of this connection.
    var announcedDelay: Int64?
    var pausedUntil: Int64?
    var ackAt: Int64?
    /// Events were handled since the last `ack`, on this connection or the one before.
    var hasUnacknowledged = false
    var authFailures = 0

    /// A session that has not begun.
    /// - Parameter seed: of the jitter; different for each session.
    package init(_ configuration: ClientSessionConfiguration, seed: UInt64) {
        self.configuration = configuration
        cursor = configuration.since
        random = JitterSource(seed: seed)
        connectBackoff = configuration.backoff
        commandBackoff = configuration.backoff
    }

    /// Commands not answered yet.
    package var pendingCount: Int { outbox.count }

    /// Whether commands are taken and missed events were delivered.
    package var isLive: Bool {
        guard case .online(let online) = phase else { return false }
        return online.isLive
    }

    /// Whether it is over.
    package var isEnded: Bool { phase == .ended }

    /// Hands over what is to be done, in order.
    package mutating func takeActions() -> [ClientSessionAction] {
        let taken = actions
        actions = []
        return taken
    }

    /// Begins.
    package mutating func start(at now: Int64) {
        guard phase == .idle else { return }
        connect(at: now)
    }

    /// Ends it for good; commands without an answer are reported as lost.
    package mutating func stop() {
        guard !isEnded else { return }
        end(.stopped, disconnecting: 1000)
    }

    /// Takes a command, to be sent as soon as may be.
    /// - Returns: the number under which its reply is reported.
    package mutating func submit(_ command: ClientCommand, at now: Int64) -> Int64 {
        let id = takeID()
        guard !isEnded else {
            report(.reply(command: id, .lost))
            return id
        }
        outbox.append(command, id: id)
        sendWaiting(at: now)
        return id
    }

    /// When `tick` must be called at the latest; nil when nothing is awaited.
    package var nextDeadline: Int64? {
        var deadline: Int64?
        func consider(_ time: Int64?) {
            guard let time else { return }
            deadline = min(deadline ?? time, time)
        }
        switch phase {
        case .waiting(let until), .connecting(let until), .waitingForHello(_, let until): consider(until)
        case .online(let online):
            consider(heardAt + online.silenceMaxMilliseconds)
            consider(ackAt)
            if outbox.isWaiting { consider(pausedUntil) }
        case .idle, .disconnecting, .ended: break
        }
        return deadline
    }

    /// Does what is due.
    package mutating func tick(at now: Int64) {
        switch phase {
        case .waiting(let until) where now >= until:
            connect(at: now)
        case .connecting(let until) where now >= until, .waitingForHello(_, let until) where now >= until:
            disconnect(code: 1000)
        case .online(let online):
            if now >= heardAt + online.silenceMaxMilliseconds { return disconnect(code: 1000) }
            if let ackAt, now >= ackAt { sendAck() }
            sendWaiting(at: now)
        case .idle, .waiting, .connecting, .waitingForHello, .disconnecting, .ended: break
        }
    }

    // MARK: What the other files of this type share

    mutating func takeID() -> Int64 {
        defer { nextID += 1 }
        return nextID
    }

    mutating func report(_ report: ClientSessionReport) {
        actions.append(.report(report))
    }

    mutating func connect(at now: Int64) {
        phase = .connecting(until: now + configuration.connectTimeoutMilliseconds)
        actions.append(.connect)
    }

    mutating func disconnect(code: UInt16) {
        if case .online = phase { reconnects += 1 }
        phase = .disconnecting
        actions.append(.disconnect(code: code))
    }

    /// Ends the session for a reason; the transport too when there is one.
    mutating func end(_ reason: ClientSessionEnd, disconnecting code: UInt16?) {
        let hasTransport: Bool
        switch phase {
        case .connecting, .waitingForHello, .online: hasTransport = true
        case .idle, .waiting, .disconnecting, .ended: hasTransport = false
        }
        if case .online = phase, ackAt != nil { sendAck() }
        phase = .ended
        if hasTransport, let code { actions.append(.disconnect(code: code)) }
        for id in outbox.removeAll() { report(.reply(command: id, .lost)) }
        report(.ended(reason))
    }

    /// Sends what waits, as far as the window and a pause allow.
    mutating func sendWaiting(at now: Int64) {
        guard case .online = phase else { return }
        if let pausedUntil {
            guard now >= pausedUntil else { return }
            self.pausedUntil = nil
        }
        while outbox.inFlightCount < configuration.inFlightMax, let (id, command) = outbox.next() {
            actions.append(.send(command.encoded(id: id)))
        }
    }

    mutating func awaitAck(at now: Int64) {
        guard hasUnacknowledged, ackAt == nil, let delay = configuration.ackAfterMilliseconds else { return }
        ackAt = now + delay
    }

    mutating func sendAck() {
        ackAt = nil
        hasUnacknowledged = false
        guard let cursor else { return }
        actions.append(.send(ClientCommand(AckCommand.self, ["seq": .integer(cursor.seq.value)]).encoded(id: nil)))
    }
}
