/// The events of a connection other than messages: its beginning, its end, and new tokens.
extension ClientSessionState {
    /// The WebSocket is open.
    /// - Parameter token: A fresh token; nil when there is none, which ends the session.
    package mutating func opened(token: String?, at now: Int64) {
        guard case .connecting(let until) = phase else { return }
        guard let token else { return end(.noToken, disconnecting: 1000) }
        let id = takeID()
        received.connected()
        retrying.announcedDelay = nil
        heardAt = now
        actions.append(.send(configuration.hello(token: token, since: cursor).encoded(id: id)))
        phase = .waitingForHello(id: id, until: until)
    }

    /// Answers ``ClientSessionAction/renewToken``: a new `hello` on the same connection.
    /// - Parameter token: nil when there is none; the session then continues as long as it may.
    package mutating func renew(token: String?, at now: Int64) {
        guard case .online(var online) = phase, online.renewalID == nil, let token else { return }
        let id = takeID()
        online.renewalID = id
        phase = .online(online)
        actions.append(.send(configuration.hello(token: token, since: nil).encoded(id: id)))
    }

    /// Bytes arrived that are not a message: the connection is alive.
    package mutating func heard(at now: Int64) {
        heardAt = now
    }

    /// The WebSocket is gone, or was never open.
    package mutating func transportEnded(_ transport: TransportEnd, at now: Int64) {
        switch phase {
        case .idle, .waiting, .ended: return
        case .connecting, .waitingForHello, .disconnecting: break
        case .online: reconnects += 1
        }
        phase = .disconnecting
        received.disconnected()
        pausedUntil = nil
        for id in outbox.connectionLost() { report(.reply(command: id, .lost)) }
        guard configuration.reconnects, let delay = retrying.delay(after: transport) else {
            return end(.transport(transport), disconnecting: nil)
        }
        phase = .waiting(until: now + delay)
        report(.offline(transport, reconnectInMilliseconds: delay))
    }
}
