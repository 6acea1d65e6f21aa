package import ClientProtocol
import JSON

/// The events of a connection other than messages: its beginning, its end, new tokens, and hints of the system.
extension ClientSessionState {
    /// The WebSocket is open.
    /// - Parameter token: A fresh token; nil when there is none, which ends the session.
    package mutating func opened(token: String?, at now: Int64) {
        guard case .connecting(let until) = phase else { return }
        guard let token else { return end(.noToken, disconnecting: 1000) }
        let id = takeID()
        received.connected()
        retrying.announce(nil)
        signs.heard(at: now)
        actions.append(.send(configuration.hello(token: token, after: received).encoded(id: id)))
        phase = .waitingForHello(id: id, until: until)
    }

    /// Answers ``ClientSessionAction/renewToken``, or is the owner's own wish: a new `hello` on the same connection.
    /// - Parameter token: nil when there is none any more, which ends the session.
    package mutating func renew(token: String?, at now: Int64) {
        guard let online = phase.online else { return }
        if case .sent = online.renewal { return }
        guard let token else { return end(.noToken, disconnecting: 1000) }
        let id = takeID()
        phase.online?.renewal = .sent(id: id)
        actions.append(.send(configuration.hello(token: token, after: nil).encoded(id: id)))
    }

    /// The source of tokens failed: the connection goes on for as long as it may, and the token is asked for again.
    package mutating func renewalFailed() {
        if phase.online?.renewal == .asked { phase.online?.renewal = nil }
    }

    /// Asks for a token, once for all that wait for it.
    mutating func askRenewal() {
        guard let online = phase.online, online.renewal == nil else { return }
        phase.online?.renewal = .asked
        actions.append(.renewToken)
    }

    /// Bytes arrived that are not a message: the connection is alive.
    package mutating func heard(at now: Int64) { signs.heard(at: now) }

    /// The WebSocket is gone, or was never open.
    package mutating func transportEnded(_ transport: TransportEnd, at now: Int64) {
        guard phase.hasTransport || phase == .disconnecting else { return }
        if case .online = phase { reconnects += 1 }
        phase = .disconnecting
        received.disconnected()
        signs.disconnected()
        for id in commands.connectionLost() { report(.reply(command: id, .lost)) }
        guard configuration.reconnects, let wait = retrying.wait(after: transport, at: now) else {
            return end(.transport(transport), disconnecting: nil)
        }
        if isRefused { loseCommands() }
        attempt += 1
        guard !system.isOffline else {
            phase = .offline
            return report(.offline(transport, reconnectInMilliseconds: nil))
        }
        phase = .waiting(SessionPhase.Waiting(until: now + wait.milliseconds, isAnnounced: wait.isAnnounced))
        report(.offline(transport, reconnectInMilliseconds: wait.milliseconds))
    }

    /// The store has everything up to a point, only if the owner stores events.
    package mutating func stored(_ point: ResumePoint, at now: Int64) {
        received.stored(point)
        guard let online = phase.online else { return }
        if let wanted = online.fetchedAt, point.epoch == online.epoch, point.seq >= wanted {
            phase.online?.fetchedAt = nil
        }
        planAck(at: now)
    }

    // MARK: The system

    /// Takes a hint of the system.
    package mutating func hint(_ hint: SystemHint, at now: Int64) {
        system.take(hint)
        guard hint != .hidden else { return }
        switch phase {
        case .online:
            let isSilent = hint == .offline || signs.isSilent(forMore: configuration.pingAfterMilliseconds, at: now)
            if isSilent, !signs.isAsked { ping(at: now) }
            if hint == .visible, received.ackAt != nil { sendAck() }
        case .waiting where hint == .offline: phase = .offline
        case .waiting(let waiting) where !system.isOffline && !waiting.isAnnounced: connect(at: now)
        case .offline where !system.isOffline: connect(at: now)
        case .idle, .waiting, .offline, .connecting, .waitingForHello, .disconnecting, .ended: break
        }
    }

    private mutating func ping(at now: Int64) {
        let id = takeID()
        signs.asked(id: id, until: now + configuration.pingTimeoutMilliseconds)
        actions.append(.send(ClientCommand(PingCommand.self).encoded(id: id)))
    }
}
