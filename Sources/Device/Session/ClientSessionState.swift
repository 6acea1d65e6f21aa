package import ClientProtocol
package import Model

/// One device's session across any number of connections, without I/O: commands, messages and the time in, actions out.
/// `Tests/SessionVectors` holds its runs, which the machine of the JavaScript library plays, too.
///
/// ```
/// idle → connecting → waitingForHello → online ─┐
///          ↑  ↑            │               │    │ stop, 44xx, refused
///          │  └─ waiting ← disconnecting ←─┘    ↓
///          └──── offline ──┘                   ended
/// ```
/// A command that must be sent until it is answered stays in the queue during reconnects and is sent again with the
/// same key, so it is done exactly once. Times are milliseconds of any monotonic clock.
/// - Confinement: any
package struct ClientSessionState: Sendable {
    /// The phase of the session; each case carries the data of that phase.
    enum Phase: Sendable, Equatable {
        case idle
        case waiting(Waiting)
        /// Waiting until the system has a network.
        case offline
        case connecting(until: Int64)
        case waitingForHello(id: Int64, until: Int64)
        case online(Online)
        case disconnecting
        case ended(ClientSessionEnd)
    }

    /// The time until the next attempt.
    struct Waiting: Sendable, Equatable {
        let until: Int64
        /// Whether the server has asked for it, so that no hint shortens it.
        let isAnnounced: Bool
    }

    /// A connection whose `hello` was accepted.
    struct Online: Sendable, Equatable {
        /// A new token on the same connection.
        enum Renewal: Sendable, Equatable { case asked, sent(id: Int64) }

        let epoch: Epoch
        var isLive = false
        /// Whether `reset` has come, but not yet the `live` after it: until then the cursor does not change.
        var isReset = false
        var silenceMaxMilliseconds: Int64
        var renewal: Renewal?
        /// The position that the store must have before the device has everything; nil when the events suffice.
        var fetchedAt: Position?
    }

    let configuration: ClientSessionConfiguration
    var phase = Phase.idle
    /// The point up to which this device has everything: the next connect asks for later events.
    package var cursor: ResumePoint? { received.cursor }
    /// How often a connection was lost after it had been online.
    package internal(set) var reconnects = 0
    /// How often a connection has ended since the session was live.
    var attempt = 0
    var commands = CommandQueue()
    var actions: [ClientSessionAction] = []
    var received: ReceivedEvents
    var retrying: Retrying
    var nextID: Int64 = 1
    var heardAt: Int64 = 0
    var pausedUntil: Int64?
    /// When a sign of life must have come after a `ping`; nil when none is asked for.
    var pingUntil: Int64?
    var pingID: Int64?
    var isSystemOffline = false
    var isVisible = false

    /// A session that has not begun.
    /// - Parameter seed: For the jitter; different for each session.
    package init(_ configuration: ClientSessionConfiguration, seed: UInt64) {
        self.init(configuration, chance: Chance(seed: seed))
    }

    /// A session that has not begun, with the chances of its waits.
    package init(_ configuration: ClientSessionConfiguration, chance: Chance) {
        self.configuration = configuration
        received = ReceivedEvents(since: configuration.since, hasStore: configuration.storesEvents)
        retrying = Retrying(configuration, chance)
    }

    /// Up to where events have arrived on this connection: a reply shows everything up to there.
    package var arrived: Position { received.reached?.seq ?? .zero }

    /// The position that the store must have before the device is live, since the server could not send the missed events:
    /// the owner fetches the state. Nil when the events suffice.
    package var fetchedAt: Position? {
        guard case .online(let online) = phase else { return nil }
        return online.fetchedAt
    }

    /// Commands not answered yet.
    package var pendingCount: Int { commands.count }

    /// Whether the session accepts commands and has got all missed events.
    package var isLive: Bool {
        guard case .online(let online) = phase else { return false }
        return online.isLive
    }

    /// Whether it is over.
    package var isEnded: Bool { if case .ended = phase { true } else { false } }

    /// Returns the actions to perform, in order.
    package mutating func takeActions() -> [ClientSessionAction] {
        let taken = actions
        actions = []
        return taken
    }

    /// Begins the session.
    package mutating func start(at now: Int64) {
        guard phase == .idle else { return }
        if isSystemOffline { phase = .offline } else { connect(at: now) }
    }

    /// Ends the session; commands without an answer are reported as lost.
    package mutating func stop() {
        guard !isEnded else { return }
        end(.stopped, disconnecting: 1000)
    }

    /// Accepts a command, which is sent as soon as possible.
    /// - Returns: the number of its reply in reports.
    package mutating func submit(_ command: ClientCommand, at now: Int64) -> Int64 {
        let id = takeID()
        guard !isEnded else {
            report(.reply(command: id, .lost))
            return id
        }
        commands.append(command, id: id)
        sendWaiting(at: now)
        return id
    }

    /// Nobody waits for the answer of a command any more: it is not sent, or not sent again, and its end is not reported.
    package mutating func abandon(_ id: Int64) { commands.abandon(id) }

    /// When `tick` must be called at the latest; nil when nothing is due.
    package var nextDeadline: Int64? {
        var deadline: Int64?
        func consider(_ time: Int64?) {
            guard let time else { return }
            deadline = min(deadline ?? time, time)
        }
        switch phase {
        case .waiting(let waiting): consider(waiting.until)
        case .connecting(let until), .waitingForHello(_, let until): consider(until)
        case .online(let online):
            consider(heardAt + online.silenceMaxMilliseconds)
            consider(received.ackAt)
            consider(pingUntil)
            if commands.isWaiting { consider(pausedUntil) }
        case .idle, .offline, .disconnecting, .ended: break
        }
        return deadline
    }

    /// Performs what is due.
    package mutating func tick(at now: Int64) {
        switch phase {
        case .waiting(let waiting) where now >= waiting.until:
            connect(at: now)
        case .connecting(let until) where now >= until, .waitingForHello(_, let until) where now >= until:
            disconnect(code: 1000)
        case .online(let online):
            let due = min(heardAt + online.silenceMaxMilliseconds, pingUntil ?? .max)
            if now >= due { return disconnect(code: 1000) }
            if let ackAt = received.ackAt, now >= ackAt { sendAck() }
            sendWaiting(at: now)
        case .idle, .waiting, .offline, .connecting, .waitingForHello, .disconnecting, .ended: break
        }
    }

    // MARK: Used by the other files of this type

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

    /// Ends the session for a reason, and the transport if there is one.
    mutating func end(_ reason: ClientSessionEnd, disconnecting code: UInt16?) {
        let hasTransport: Bool
        switch phase {
        case .connecting, .waitingForHello, .online: hasTransport = true
        case .idle, .waiting, .offline, .disconnecting, .ended: hasTransport = false
        }
        if case .online = phase, received.ackAt != nil { sendAck() }
        phase = .ended(reason)
        if hasTransport, let code { actions.append(.disconnect(code: code)) }
        for id in commands.removeAll() { report(.reply(command: id, .lost)) }
        report(.ended(reason))
    }

    /// Sends waiting commands, as far as the window and a pause allow.
    mutating func sendWaiting(at now: Int64) {
        guard case .online = phase else { return }
        if let pausedUntil {
            guard now >= pausedUntil else { return }
            self.pausedUntil = nil
        }
        while commands.inFlightCount < configuration.inFlightMax, let (id, command) = commands.next() {
            actions.append(.send(command.encoded(id: id)))
        }
    }

    mutating func sendAck() {
        if let ack = received.ack(in: epoch) { actions.append(.send(ack.encoded(id: nil))) }
    }

    /// The epoch of the connection, once its `hello` is answered.
    var epoch: Epoch? {
        guard case .online(let online) = phase else { return nil }
        return online.epoch
    }
}
