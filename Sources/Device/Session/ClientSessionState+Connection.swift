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
        pingUntil = nil
        heardAt = now
        actions.append(.send(configuration.hello(token: token, since: cursor).encoded(id: id)))
        phase = .waitingForHello(id: id, until: until)
    }

    /// Answers ``ClientSessionAction/renewToken``, or is the owner's own wish: a new `hello` on the same connection.
    /// - Parameter token: nil when there is none any more, which ends the session.
    package mutating func renew(token: String?, at now: Int64) {
        guard case .online(var online) = phase else { return }
        if case .sent = online.renewal { return }
        guard let token else { return end(.noToken, disconnecting: 1000) }
        let id = takeID()
        online.renewal = .sent(id: id)
        phase = .online(online)
        actions.append(.send(configuration.hello(token: token, since: nil).encoded(id: id)))
    }

    /// The source of tokens failed: the connection goes on for as long as it may, and the token is asked for again.
    package mutating func renewalFailed() {
        guard case .online(var online) = phase, online.renewal == .asked else { return }
        online.renewal = nil
        phase = .online(online)
    }

    /// Asks for a token, once for all that wait for it.
    mutating func askRenewal() {
        guard case .online(var online) = phase, online.renewal == nil else { return }
        online.renewal = .asked
        phase = .online(online)
        actions.append(.renewToken)
    }

    /// Bytes arrived that are not a message: the connection is alive.
    package mutating func heard(at now: Int64) {
        heardAt = now
        pingUntil = nil
    }

    /// The WebSocket is gone, or was never open.
    package mutating func transportEnded(_ transport: TransportEnd, at now: Int64) {
        switch phase {
        case .idle, .waiting, .offline, .ended: return
        case .connecting, .waitingForHello, .disconnecting: break
        case .online: reconnects += 1
        }
        phase = .disconnecting
        received.disconnected()
        (pausedUntil, pingUntil, pingID) = (nil, nil, nil)
        for id in commands.connectionLost() { report(.reply(command: id, .lost)) }
        guard configuration.reconnects, let wait = retrying.wait(after: transport, at: now) else {
            return end(.transport(transport), disconnecting: nil)
        }
        attempt += 1
        guard !isSystemOffline else {
            phase = .offline
            return report(.offline(transport, reconnectInMilliseconds: nil))
        }
        phase = .waiting(Waiting(until: now + wait.milliseconds, isAnnounced: wait.isAnnounced))
        report(.offline(transport, reconnectInMilliseconds: wait.milliseconds))
    }

    /// The store has everything up to a point, only if the owner stores events.
    package mutating func stored(_ point: ResumePoint, at now: Int64) {
        received.stored(point)
        guard case .online(var online) = phase else { return }
        if let wanted = online.fetchedAt, point.epoch == online.epoch, point.seq >= wanted {
            online.fetchedAt = nil
            phase = .online(online)
        }
        planAck(at: now)
    }

    // MARK: The system

    /// A hint of the system. None of them is certain: an open connection is asked for a sign of life, not given up.
    /// - Confinement: any
    package enum Hint: String, Sendable, Hashable, CaseIterable {
        /// There is no network, and again one.
        case offline, online
        /// A person looks at the application, or does no longer.
        case visible, hidden
        /// The machine has slept.
        case woke
    }

    /// Takes a hint of the system.
    package mutating func hint(_ hint: Hint, at now: Int64) {
        switch hint {
        case .offline, .online: isSystemOffline = hint == .offline
        case .visible, .hidden: isVisible = hint == .visible
        case .woke: break
        }
        guard hint != .hidden else { return }
        switch phase {
        case .online:
            let isSilent = hint == .offline || now - heardAt > configuration.pingAfterMilliseconds
            if isSilent, pingUntil == nil { ping(at: now) }
            if hint == .visible, received.ackAt != nil { sendAck() }
        case .waiting where hint == .offline: phase = .offline
        case .waiting(let waiting) where !isSystemOffline && !waiting.isAnnounced: connect(at: now)
        case .offline where !isSystemOffline: connect(at: now)
        case .idle, .waiting, .offline, .connecting, .waitingForHello, .disconnecting, .ended: break
        }
    }

    private mutating func ping(at now: Int64) {
        let id = takeID()
        pingID = id
        pingUntil = now + configuration.pingTimeoutMilliseconds
        actions.append(.send(ClientCommand(PingCommand.self).encoded(id: id)))
    }
}
