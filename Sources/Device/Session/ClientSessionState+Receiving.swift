package import ClientProtocol
import JSON
import Model

/// The effects of the server's messages.
extension ClientSessionState {
    /// Takes one text message.
    package mutating func receive(_ text: [UInt8], at now: Int64) {
        // After the end nothing is reported.
        if isEnded { return }
        heard(at: now)
        let message: ServerMessage
        do {
            message = try ServerMessage.decode(text)
        } catch {
            return report(.violation(.unreadable(error)))
        }
        receive(message, at: now)
    }

    /// Takes one message.
    package mutating func receive(_ message: ServerMessage, at now: Int64) {
        switch (message, phase) {
        case (_, .idle), (_, .waiting), (_, .offline), (_, .connecting), (_, .disconnecting), (_, .ended): break
        case (.reply(let re, let result), _): receiveReply(re, result, at: now)
        case (.event(let type, let seq, let body), _): receiveEvent(type, seq, body, at: now)
        }
    }

    // MARK: Replies

    private mutating func receiveReply(_ re: RequestID?, _ result: Result<JSONValue, Refusal>, at now: Int64) {
        guard let id = re.flatMap({ Int64($0.json) }) else { return report(.violation(.unexpectedReply(re))) }
        if case .waitingForHello(id, _) = phase { return receiveHello(result, at: now) }
        if case .online(var online) = phase, online.renewal == .sent(id: id) {
            online.renewal = nil
            phase = .online(online)
            return receiveRenewal(result, at: now)
        }
        if id == pingID { return pingID = nil }
        guard let command = commands.inFlight(id) else { return report(.violation(.unexpectedReply(re))) }
        switch result {
        case .success(let body):
            retrying.commandSucceeded()
            settle(id, .ok(body), at: now)
        case .failure(let refusal): receiveRefusal(refusal, of: command, id: id, at: now)
        }
    }

    private mutating func receiveRefusal(_ refusal: Refusal, of command: ClientCommand, id: Int64, at now: Int64) {
        switch (refusal.code.errorClass, command.persistence) {
        case (.auth, let persistence): refuseToken(refusal, persistence, id: id, at: now)
        case (.permanent, _), (_, .once): settle(id, .refused(refusal), at: now)
        case (.retry, .untilAnswered), (.limit, .untilAnswered): putBack(id, refusal, at: now)
        }
    }

    /// One token is asked for, for all commands that wait for it.
    private mutating func refuseToken(
        _ refusal: Refusal, _ persistence: ClientCommand.Persistence, id: Int64, at now: Int64
    ) {
        var isAsked = false
        if case .online(let online) = phase { isAsked = online.renewal != nil }
        let isWorthTrying = isAsked || retrying.isAnotherTokenWorthTrying()
        if persistence == .once || !isWorthTrying {
            settle(id, .refused(refusal), at: now)
        } else {
            putBack(id, refusal, at: now)
        }
        if isWorthTrying { askRenewal() }
    }

    private mutating func settle(_ id: Int64, _ reply: ClientReply, at now: Int64) {
        if commands.remove(id) { report(.reply(command: id, reply)) }
        sendWaiting(at: now)
    }

    /// Sends nothing for a while: later commands would be refused, too, and would overtake those that wait.
    private mutating func putBack(_ id: Int64, _ refusal: Refusal, at now: Int64) {
        commands.putBack(id)
        pausedUntil = max(pausedUntil ?? now, now + retrying.delay(after: refusal))
    }

    private mutating func receiveHello(_ result: Result<JSONValue, Refusal>, at now: Int64) {
        switch result {
        case .success(let body):
            guard let hello = ClientHello(body) else {
                return end(.refused(Refusal(.internal, "the answer to hello lacks members")), disconnecting: 1000)
            }
            if let other = otherUser(of: hello) { return end(.otherUser(other), disconnecting: 1000) }
            retrying.tokenAccepted()
            begin(hello, at: now)
        case .failure(let refusal):
            switch refusal.code.errorClass {
            case .permanent: end(.refused(refusal), disconnecting: 1000)
            case .auth where !retrying.isAnotherTokenWorthTrying(): end(.refused(refusal), disconnecting: 1000)
            case .auth, .retry: disconnect(code: 1000)
            case .limit:
                retrying.announce(refusal.retryAfterMilliseconds)
                disconnect(code: 1000)
            }
        }
    }

    /// The user of the token, if that is another one than the one whose writes and rows this device has.
    private func otherUser(of hello: ClientHello) -> String? {
        let named = hello.body["user"]?.stringValue
        return configuration.user == nil || named == configuration.user ? nil : named
    }

    private mutating func begin(_ hello: ClientHello, at now: Int64) {
        // A session that named no point gets everything after this `hello`. A session that named one gets what it
        // missed: those events, or `live`, move the cursor, also into another epoch. If the connection breaks before,
        // the same point is named again.
        let isFirst = configuration.storesEvents && cursor == nil
        received.begin(at: ResumePoint(epoch: hello.epoch, seq: hello.seq))
        let silenceMax = 2 * hello.heartbeatMilliseconds + configuration.silenceGraceMilliseconds
        var online = Online(epoch: hello.epoch, silenceMaxMilliseconds: silenceMax)
        online.fetchedAt = isFirst ? hello.seq : nil
        phase = .online(online)
        report(.online(hello))
        sendWaiting(at: now)
    }

    private mutating func receiveRenewal(_ result: Result<JSONValue, Refusal>, at now: Int64) {
        switch result {
        case .success(let body):
            let hello = ClientHello(body)
            if let other = hello.flatMap(otherUser) { return end(.otherUser(other), disconnecting: 1000) }
            pausedUntil = nil
            if let hello { report(.online(hello)) }
            sendWaiting(at: now)
        case .failure(let refusal) where refusal.code.errorClass == .permanent:
            end(.refused(refusal), disconnecting: 1000)
        case .failure(let refusal) where refusal.code.errorClass == .auth && !retrying.isAnotherTokenWorthTrying():
            end(.refused(refusal), disconnecting: 1000)
        case .failure: disconnect(code: 1000)
        }
    }

    // MARK: Events

    private mutating func receiveEvent(_ type: String, _ seq: Int64?, _ body: JSONValue, at now: Int64) {
        switch EventName(rawValue: type) {
        case .live: receiveLive(Position(seq ?? 0), at: now)
        case .reset:
            if case .online(var online) = phase {
                online.isReset = true
                phase = .online(online)
            }
            report(.reset(reason: body["reason"]?.stringValue ?? ""))
        case .beat: receiveBeat(body)
        case .bye:
            retrying.announce(body["reconnectInMs"]?.integerValue)
        case .expiring: askRenewal()
        case .some(let name) where !name.isDurable:
            report(.event(ClientEvent(type: type, position: nil, body: body)))
        case .some, nil: receiveDurable(type, seq, body, at: now)
        }
    }

    /// A durable event, or one of an unknown type, which is durable when it has a place in the log.
    private mutating func receiveDurable(_ type: String, _ seq: Int64?, _ body: JSONValue, at now: Int64) {
        let event = ClientEvent(type: type, position: seq.map(Position.init), body: body)
        guard let position = event.position else { return report(.event(event)) }
        switch received.take(position, of: epoch) {
        case .seen(let seen): return report(.violation(.notAscending(event, cursor: seen)))
        case .isStored: return
        case .new: break
        }
        if !configuration.storesEvents { planAck(at: now) }
        report(.event(event))
    }

    private mutating func receiveLive(_ head: Position, at now: Int64) {
        guard case .online(var online) = phase else { return }
        if online.isReset {
            received.reset()
            if configuration.storesEvents { online.fetchedAt = head }
        }
        online.isLive = true
        online.isReset = false
        phase = .online(online)
        retrying.wentLive(at: now)
        attempt = 0
        // Everything up to here was delivered, or was not for this user.
        received.move(to: head, in: online.epoch)
        planAck(at: now)
        report(.live(head))
    }

    private mutating func receiveBeat(_ body: JSONValue) {
        guard let sent = body["events"]?.integerValue else { return }
        guard sent == received.count else {
            report(.violation(.countDiffers(sent: sent, received: received.count)))
            return disconnect(code: 1000)
        }
        // All sent events have arrived, and no other events up to here are for this user.
        if case .online(let online) = phase, online.isLive, let head = body["seq"]?.integerValue {
            let point = ResumePoint(epoch: online.epoch, seq: Position(head))
            let isFurther = received.move(to: point.seq, in: point.epoch)
            if isFurther, configuration.storesEvents { actions.append(.reached(point)) }
        }
    }

    /// While a person looks the server hears at once what has arrived; else some time later.
    mutating func planAck(at now: Int64) {
        guard let delay = configuration.ackAfterMilliseconds else { return }
        received.planAck(at: now, after: delay)
        if isVisible, received.ackAt != nil { sendAck() }
    }
}
