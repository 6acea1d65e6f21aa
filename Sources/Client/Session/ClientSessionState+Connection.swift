import ClientProtocol
import JSON
import Model

/// What a connection brings besides messages: its beginning, its end, and tokens.
extension ClientSessionState {
    /// The WebSocket stands.
    /// - Parameter token: a fresh one; nil when there is none to be had, which ends the session.
    package mutating func opened(token: String?, at now: Int64) {
        guard case .connecting(let until) = phase else { return }
        guard let token else { return end(.noToken, disconnecting: 1000) }
        let id = takeID()
        durableCount = 0
        announcedDelay = nil
        heardAt = now
        actions.append(.send(hello(token: token, since: cursor).encoded(id: id)))
        phase = .waitingForHello(id: id, until: until)
    }

    /// Answers ``ClientSessionAction/renewToken``: a new `hello` on the same connection.
    /// - Parameter token: nil when there is none to be had; the session then goes on as long as it may.
    package mutating func renew(token: String?, at now: Int64) {
        guard case .online(var online) = phase, online.renewalID == nil, let token else { return }
        let id = takeID()
        online.renewalID = id
        phase = .online(online)
        actions.append(.send(hello(token: token, since: nil).encoded(id: id)))
    }

    /// Bytes came that are no message: the connection lives.
    package mutating func heard(at now: Int64) {
        heardAt = now
    }

    /// The WebSocket is gone, or never stood.
    package mutating func transportEnded(_ transport: TransportEnd, at now: Int64) {
        switch phase {
        case .idle, .waiting, .ended: return
        case .connecting, .waitingForHello, .disconnecting: break
        case .online: reconnects += 1
        }
        phase = .disconnecting
        ackAt = nil
        pausedUntil = nil
        for id in outbox.connectionLost() { report(.reply(command: id, .lost)) }
        guard configuration.reconnects, let delay = reconnectDelay(after: transport) else {
            return end(.transport(transport), disconnecting: nil)
        }
        phase = .waiting(until: now + delay)
        report(.offline(transport, reconnectInMilliseconds: delay))
    }

    private func hello(token: String, since: ResumePoint?) -> ClientCommand {
        var fields: JSONObject = ["token": .string(token)]
        if let device = configuration.device { fields["device"] = .string(device) }
        if let since {
            fields["since"] = ["epoch": .string(since.epoch.text), "seq": .integer(since.seq.value)]
        }
        if let locale = configuration.locale { fields["locale"] = .string(locale) }
        if let client = configuration.client { fields["client"] = .string(client) }
        return ClientCommand(HelloCommand.self, fields)
    }

    /// - Returns: milliseconds until the next attempt; nil when there shall be none.
    private mutating func reconnectDelay(after transport: TransportEnd) -> Int64? {
        let isAdvised: Bool
        switch transport {
        case .lost, .violation: isAdvised = true
        case .badHandshake: isAdvised = false
        // A network may break TLS; a certificate is not mended by asking again.
        case .encryption(let failure): isAdvised = !failure.isCertificate
        case .refused(let status): isAdvised = status >= 500 || status == 429 || status == 408
        case .closed(let code, _):
            let code = code ?? CloseCode.noStatus.rawValue
            // With a new token something has changed, which is what 44xx asks for.
            isAdvised =
                CloseCode.advice(for: code) != .stayAway
                || code == CloseCode.unauthenticated.rawValue && isAnotherTokenWorthTrying()
        }
        guard isAdvised else { return nil }
        let wait = connectBackoff.next(using: &random)
        guard let announced = announcedDelay else { return wait }
        // It was about the connection that ended: if the next one fails too, the wait is this client's own to choose.
        announcedDelay = nil
        // The server has spread the announced delays; jitter on top of them stays small.
        return announced + .random(in: 0...configuration.backoff.baseMilliseconds, using: &random)
    }

    mutating func isAnotherTokenWorthTrying() -> Bool {
        authFailures += 1
        return authFailures < Self.authFailuresMax
    }
}
