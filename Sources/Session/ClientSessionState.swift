package import ClientProtocol
import Model

/// One device's session across any number of connections, without I/O: commands, messages and the time in, actions out.
///
/// ```
/// idle → connecting → waitingForHello → online ─┐
///          ↑  ↑            │               │    │ stop, 44xx, refused
///          │  └─ waiting ← disconnecting ←─┘    ↓
///          └───── backoff ┘                   ended
/// ```
/// A command that must be sent until it is answered stays in the outbox during reconnects and is sent again with the
/// same key, so it is done exactly once. Times are milliseconds of any monotonic clock.
/// - Confinement: any
package struct ClientSessionState: Sendable {
    /// The phase of the session; each case carries the data of that phase.
    enum Phase: Sendable, Equatable {
        case idle
        case waiting(until: Int64)
        case connecting(until: Int64)
        case waitingForHello(id: Int64, until: Int64)
        case online(Online)
        case disconnecting
        case ended
    }

    /// A connection whose `hello` was accepted.
    struct Online: Sendable, Equatable {
        let epoch: Epoch
        var isLive = false
        /// Whether `reset` has come, but not yet the `live` after it: until then the cursor does not change.
        var isReset = false
        var silenceMaxMilliseconds: Int64
        /// The id of a `hello` that renews the token and is not answered yet.
        var renewalID: Int64?
    }

    let configuration: ClientSessionConfiguration
    var phase = Phase.idle
    /// The point up to which this device has everything: the next connect asks for later events.
    package var cursor: ResumePoint? { received.cursor }
    /// How often a connection was lost after it had been online.
    package internal(set) var reconnects = 0
    var outbox = Outbox()
    var actions: [ClientSessionAction] = []
    var received: ReceivedEvents
    var retrying: Retrying
    var nextID: Int64 = 1
    var heardAt: Int64 = 0
    var pausedUntil: Int64?

    /// A session that has not begun.
    /// - Parameter seed: For the jitter; different for each session.
    package init(_ configuration: ClientSessionConfiguration, seed: UInt64) {
        self.configuration = configuration
        received = ReceivedEvents(since: configuration.since)
        retrying = Retrying(configuration.backoff, seed: seed)
    }

    /// Commands not answered yet.
    package var pendingCount: Int { outbox.count }

    /// Whether the session accepts commands and has got all missed events.
    package var isLive: Bool {
        guard case .online(let online) = phase else { return false }
        return online.isLive
    }

    /// Whether it is over.
    package var isEnded: Bool { phase == .ended }

    /// Returns the actions to perform, in order.
    package mutating func takeActions() -> [ClientSessionAction] {
        let taken = actions
        actions = []
        return taken
    }

    /// Begins the session.
    package mutating func start(at now: Int64) {
        guard phase == .idle else { return }
        connect(at: now)
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
        outbox.append(command, id: id)
        sendWaiting(at: now)
        return id
    }

    /// When `tick` must be called at the latest; nil when nothing is due.
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
            consider(received.ackAt)
            if outbox.isWaiting { consider(pausedUntil) }
        case .idle, .disconnecting, .ended: break
        }
        return deadline
    }

    /// Performs what is due.
    package mutating func tick(at now: Int64) {
        switch phase {
        case .waiting(let until) where now >= until:
            connect(at: now)
        case .connecting(let until) where now >= until, .waitingForHello(_, let until) where now >= until:
            disconnect(code: 1000)
        case .online(let online):
            if now >= heardAt + online.silenceMaxMilliseconds { return disconnect(code: 1000) }
            if let ackAt = received.ackAt, now >= ackAt { sendAck() }
            sendWaiting(at: now)
        case .idle, .waiting, .connecting, .waitingForHello, .disconnecting, .ended: break
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
        case .idle, .waiting, .disconnecting, .ended: hasTransport = false
        }
        if case .online = phase, received.ackAt != nil { sendAck() }
        phase = .ended
        if hasTransport, let code { actions.append(.disconnect(code: code)) }
        for id in outbox.removeAll() { report(.reply(command: id, .lost)) }
        report(.ended(reason))
    }

    /// Sends waiting commands, as far as the window and a pause allow.
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

    mutating func sendAck() {
        if let ack = received.ack() { actions.append(.send(ack.encoded(id: nil))) }
    }
}
