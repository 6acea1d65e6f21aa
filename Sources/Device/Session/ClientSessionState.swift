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
    let configuration: ClientSessionConfiguration
    var phase = SessionPhase.idle
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
    var signs = LifeSigns()
    var system = SystemHints()

    /// A session that has not begun.
    /// - Parameter chance: For its waits; different for each session.
    package init(_ configuration: ClientSessionConfiguration, chance: Chance) {
        self.configuration = configuration
        received = ReceivedEvents(since: configuration.since, hasStore: configuration.storesEvents)
        retrying = Retrying(configuration, chance)
    }

    /// Up to where events have arrived on this connection: a reply shows everything up to there.
    package var arrived: Position { received.reached?.seq ?? .zero }

    /// The position that the store must have before the device is live, since the server could not send the missed events:
    /// the owner fetches the state. Nil when the events suffice.
    package var fetchedAt: Position? { phase.online?.fetchedAt }

    /// Commands not answered yet.
    package var pendingCount: Int { commands.count }

    /// Whether the session accepts commands and has got all missed events.
    package var isLive: Bool { phase.online?.isLive ?? false }

    /// Whether it is over.
    package var isEnded: Bool { phase.isEnded }

    /// Whether the tokens are refused. The session goes on slowly, and says so until one is accepted.
    package var isRefused: Bool { retrying.refusal != nil && !isEnded }

    /// Returns the actions to perform, in order.
    package mutating func takeActions() -> [ClientSessionAction] {
        defer { actions = [] }
        return actions
    }

    /// Begins the session.
    package mutating func start(at now: Int64) {
        guard phase == .idle else { return }
        if system.isOffline { phase = .offline } else { connect(at: now) }
    }

    /// Ends the session; commands without an answer are reported as lost.
    package mutating func stop() { if !isEnded { end(.stopped, disconnecting: 1000) } }

    /// Accepts a command, which is sent as soon as possible.
    /// - Returns: the number of its reply in reports.
    package mutating func submit(_ command: ClientCommand, at now: Int64) -> Int64 {
        let id = takeID()
        if isEnded || isRefused { report(.reply(command: id, .lost)) } else { commands.append(command, id: id) }
        sendWaiting(at: now)
        return id
    }

    /// Nobody waits for the answer of a command any more: it is not sent, or not sent again, and its end is not reported.
    package mutating func abandon(_ id: Int64) { commands.abandon(id) }

    /// When `tick` must be called at the latest; nil when nothing is due.
    package var nextDeadline: Int64? {
        guard let online = phase.online else { return phase.until }
        let end = signs.endAt(silenceMax: online.silenceMaxMilliseconds)
        return [end, received.ackAt, commands.resumesAt].compactMap { $0 }.min()
    }

    /// Performs what is due.
    package mutating func tick(at now: Int64) {
        switch phase {
        case .waiting(let waiting) where now >= waiting.until:
            connect(at: now)
        case .connecting(let until) where now >= until, .waitingForHello(_, let until) where now >= until:
            disconnect(code: 1000)
        case .online(let online):
            if now >= signs.endAt(silenceMax: online.silenceMaxMilliseconds) { return disconnect(code: 1000) }
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

    mutating func report(_ report: ClientSessionReport) { actions.append(.report(report)) }

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
        let hasTransport = phase.hasTransport
        if case .online = phase, received.ackAt != nil { sendAck() }
        phase = .ended(reason)
        if hasTransport, let code { actions.append(.disconnect(code: code)) }
        loseCommands()
        report(.ended(reason))
    }

    mutating func loseCommands() { for id in commands.removeAll() { report(.reply(command: id, .lost)) } }

    /// Sends waiting commands, as far as the window and a pause allow.
    mutating func sendWaiting(at now: Int64) {
        guard case .online = phase else { return }
        while let (id, command) = commands.next(at: now, inFlightMax: configuration.inFlightMax) {
            actions.append(.send(command.encoded(id: id)))
        }
    }

    mutating func sendAck() {
        if let ack = received.ack(in: epoch) { actions.append(.send(ack.encoded(id: nil))) }
    }

    /// The epoch of the connection, once its `hello` is answered.
    var epoch: Epoch? { phase.online?.epoch }
}
