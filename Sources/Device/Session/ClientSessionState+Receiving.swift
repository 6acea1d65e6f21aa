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
        if phase.online?.renewal == .sent(id: id) {
            phase.online?.renewal = nil
            return receiveRenewal(result, at: now)
        }
        if signs.isAnswer(id) { return }
        received.show(result, of: phase.online?.epoch)
        let isAsked = phase.online?.renewal != nil
        guard let answered = commands.take(result, of: id, isTokenAsked: isAsked, &retrying, at: now)
        else { return report(.violation(.unexpectedReply(re))) }
        if let reply = answered.reply {
            if answered.isHeard { report(.reply(command: id, reply)) }
            sendWaiting(at: now)
        }
        if answered.needsToken { askRenewal() }
    }

    private mutating func receiveHello(_ result: Result<JSONValue, Refusal>, at now: Int64) {
        switch HelloVerdict(result, for: configuration.user, &retrying) {
        case .accepted(let hello?):
            retrying.tokenAccepted()
            begin(hello, at: now)
        case .accepted(nil):
            end(.refused(Refusal(.internal, "the answer to hello lacks members")), disconnecting: 1000)
        case .ended(let reason): end(reason, disconnecting: 1000)
        case .again: disconnect(code: 1000)
        case .limited(let wait):
            retrying.announce(wait)
            disconnect(code: 1000)
        }
    }

    private mutating func begin(_ hello: ClientHello, at now: Int64) {
        // A session that named no point gets everything after this `hello`. A session that named one gets what it
        // missed: those events, or `live`, move the cursor, also into another epoch. If the connection breaks before,
        // the same point is named again.
        let isFirst = configuration.storesEvents && cursor == nil
        received.begin(at: ResumePoint(epoch: hello.epoch, seq: hello.seq))
        let silenceMax = 2 * hello.heartbeatMilliseconds + configuration.silenceGraceMilliseconds
        var online = SessionPhase.Online(epoch: hello.epoch, silenceMaxMilliseconds: silenceMax)
        online.fetchedAt = isFirst ? hello.seq : nil
        phase = .online(online)
        report(.online(hello))
        sendWaiting(at: now)
    }

    private mutating func receiveRenewal(_ result: Result<JSONValue, Refusal>, at now: Int64) {
        switch HelloVerdict(result, for: configuration.user, &retrying) {
        case .accepted(let hello):
            commands.resume()
            if let hello { report(.online(hello)) }
            sendWaiting(at: now)
        case .ended(let reason): end(reason, disconnecting: 1000)
        case .again, .limited: disconnect(code: 1000)
        }
    }

    // MARK: Events

    private mutating func receiveEvent(_ type: String, _ seq: Int64?, _ body: JSONValue, at now: Int64) {
        switch EventName(rawValue: type) {
        case .live: receiveLive(Position(seq ?? 0), at: now)
        case .reset:
            phase.online?.isReset = true
            report(.reset(reason: body["reason"]?.stringValue ?? ""))
        case .beat: receiveBeat(body)
        case .bye: retrying.announce(body["reconnectInMs"]?.integerValue)
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
        guard let online = phase.online else { return }
        if online.isReset {
            received.reset()
            if configuration.storesEvents { phase.online?.fetchedAt = head }
        }
        phase.online?.wentLive()
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
        if let online = phase.online, online.isLive, let head = body["seq"]?.integerValue {
            let point = ResumePoint(epoch: online.epoch, seq: Position(head))
            let isFurther = received.move(to: point.seq, in: point.epoch)
            if isFurther, configuration.storesEvents { actions.append(.reached(point)) }
        }
    }

    /// While a person looks the server hears at once what has arrived; else some time later.
    mutating func planAck(at now: Int64) {
        guard let delay = configuration.ackAfterMilliseconds else { return }
        received.planAck(at: now, after: delay)
        if system.isVisible, received.ackAt != nil { sendAck() }
    }
}
