import ClientProtocol
import Compression
import Configuration
import EventLoop
import Mail
import Model
import Peers
import Services
import Synchronization
import Telemetry
import Wire

extension Session {
    /// Takes the bytes of one read.
    func receive(_ bytes: RawSpan) {
        guard !framing.isOneWay else { return }
        pulse.heard(at: server.loop.now)
        if compression == nil {
            var incoming = takeIncoming()
            codec.receive(bytes, into: &incoming)
            handle(incoming)
        } else {
            receiveCompressed(bytes)
        }
        if codec.isBetweenMessages {
            messageDeadline = .max
        } else if messageDeadline == .max {
            messageDeadline = server.loop.now + server.settings.configuration.requestMilliseconds
        }
        // A client that sends without reading its replies is not read from until it does: they must not pile up here.
        // Only who is congested is told when that is over.
        if tcp.isCongested, tcp.queuedBytes > min(Limits.unreadRepliesBytesMax, tcp.loop.queueBytesMax) {
            tcp.pauseReading()
        }
    }

    /// What is compressed may grow a thousandfold: it is taken piece by piece, so that little of it is held at a time.
    private func receiveCompressed(_ bytes: RawSpan) {
        inflation.received(bytes.byteCount)
        inflate(bytes)
    }

    private func inflate(_ bytes: RawSpan) {
        var offset = 0
        while offset < bytes.byteCount, !isClosing {
            if postponed == nil, server.loop.isTurnLong { postpone([]) }
            if let postponed { return postponed.append(compressed: bytes.extracting(offset...)) }
            let end = min(offset + Limits.compressedPieceBytes, bytes.byteCount)
            var incoming = takeIncoming()
            codec.receive(bytes.extracting(offset..<end), decompressor: compression?.inflater, into: &incoming)
            handle(incoming)
            offset = end
        }
    }

    /// Moves the loop's shared room out.
    private func takeIncoming() -> [WebSocketEvent] {
        var taken: [WebSocketEvent] = []
        swap(&taken, &server.incoming)
        return taken
    }

    /// Acts on what a read has brought, and gives the room back.
    private func handle(_ incoming: consuming [WebSocketEvent]) {
        handle(each: incoming)
        incoming.removeAll(keepingCapacity: true)
        server.incoming = incoming
    }

    private func handle(each incoming: [WebSocketEvent]) {
        var others = codec.takeFrameCount()
        var ping: [UInt8]?
        events: for (index, event) in incoming.enumerated() {
            guard !isClosing else { break }
            if pace.isFlooded { return flooded() }
            switch event {
            case .text(let payload):
                if postpones(payload, with: incoming[index...]) {
                    others -= incoming[index...].count { $0.isText }
                    break events
                }
                others -= 1
                messageDeadline = .max
                if compression == nil || inflation.inflated(payload.count, for: connection.account, at: server.loop.now)
                {
                    receiveMessage(payload)
                } else {
                    close(.flooding)
                }
            case .binary: end(CloseCode.unsupportedData.rawValue, "messages are JSON text")
            case .ping(let payload): ping = payload
            case .pong: break
            case .close(let code, _): end(code, "")
            case .violation(let violation): end(violation.closeCode, violation.reason)
            }
        }
        // Of several pings the latest is answered (RFC 6455 section 5.5.3).
        if let ping, !isClosing { tcp.write(FrameEncoder.pong(ping)) }
        if others > 0 { pace.takeFrames(others, at: server.loop.now) }
        if pace.isFlooded { flooded() }
    }

    /// Leaves a large message, and what came after it, for a later turn, where this one is long already: many that come at
    /// once must not keep others from their turn.
    private func postpones(_ payload: [UInt8], with incoming: ArraySlice<WebSocketEvent>) -> Bool {
        guard payload.count > Limits.bytesPerWeight, server.loop.isTurnLong else { return false }
        postpone(incoming)
        return true
    }

    private func postpone(_ incoming: ArraySlice<WebSocketEvent>) {
        postponed = PostponedInput(incoming)
        tcp.yieldTurn()
    }

    /// The turn has come of what was left for a later one.
    func goOn() {
        guard let taken = postponed else { return }
        postponed = nil
        handle(each: taken.events)
        guard !isClosing, !taken.rest.isEmpty else { return }
        taken.rest.withRawSpan { again in
            if let postponed { postponed.append(compressed: again) } else { inflate(again) }
        }
    }

    private func flooded() {
        guard !isClosing else { return }
        server.refused(.flooding, connection.client)
        close(.flooding)
    }

    private func receiveMessage(_ payload: [UInt8]) {
        server.settings.metrics.commands.add(1, ordering: .relaxed)
        let weightOfBytes = payload.count / Limits.bytesPerWeight
        if weightOfBytes > 0, let refusal = refusal(forWeight: weightOfBytes) {
            // What is large is paid for before it is decoded, also when it is refused.
            pace.takeFrames(weightOfBytes, at: server.loop.now)
            return refuse(CommandMessage.id(in: payload), refusal)
        }
        if weightOfBytes > 0 { tcp.measured { decode(payload) } } else { decode(payload) }
    }

    private func decode(_ payload: [UInt8]) {
        switch CommandEnvelope.decode(payload) {
        case .failure(let refused):
            let refusal = pace.take(at: server.loop.now).map(Refusal.tooFast) ?? refused.refusal
            refuse(refused.id, refusal, isAlwaysAnswered: refused.isAlwaysAnswered)
        case .success(let envelope):
            if let refusal = refusal(forWeight: envelope.weight) {
                refuse(envelope.id, refusal)
            } else {
                receive(envelope)
            }
        }
    }

    /// Takes a command's weight from the connection's pace, and from the one that all connections of its user share.
    private func refusal(forWeight weight: Int) -> Refusal? {
        let now = server.loop.now
        if let wait = pace.take(weight, at: now) { return Refusal.tooFast(wait) }
        guard let wait = connection.pacedAccount?.take(weight, at: now) else { return nil }
        server.refused(.pace, connection.client)
        rest()
        return Refusal.tooMuchWork(wait)
    }

    /// Reads nothing for a moment: a client that does not wait when it is told to is made to.
    func rest() {
        guard !isResting, !isClosing else { return }
        isResting = true
        tcp.pauseReading()
        server.resting?.begin(address)
    }

    /// The moment is over.
    func rested() {
        isResting = false
        // Who is congested is read from again when that is over.
        if !tcp.isCongested, !isClosing { tcp.resumeReading() }
    }

    private func receive(_ envelope: CommandEnvelope) {
        if case .hello(let hello) = envelope.work { return greet(hello, envelope.id) }
        switch state {
        case .waitingForHello:
            refuse(envelope.id, Refusal(.unauthenticated, "the first command is hello, with a token"))
        case .starting, .ready:
            guard server.drainDeadline == nil else {
                return refuse(
                    envelope.id,
                    Refusal(.unavailable, "the server stops; repeat this with the same key when connected again"))
            }
            guard queue.count < Limits.commandsInFlightMax else {
                return refuse(
                    envelope.id,
                    Refusal(
                        .tooMany, "at most \(Limits.commandsInFlightMax) commands may wait for their replies",
                        retryAfterMilliseconds: 100))
            }
            let bytes = envelope.heldBytes
            guard connection.mayHold(heldBytes + bytes) else {
                server.refused(.memory, connection.client)
                return refuse(envelope.id, .overloaded)
            }
            run(envelope, bytes: bytes)
        case .closing:
            break
        }
    }

    /// Answers a command with an error; one without an id wants no answer, unless it could not be read at all.
    func refuse(_ id: RequestID?, _ refusal: Refusal, isAlwaysAnswered: Bool = false) {
        server.settings.metrics.refusals.add(1, ordering: .relaxed)
        if id != nil || isAlwaysAnswered { send(Reply.error(re: id, refusal)) }
    }
}

extension WebSocketEvent {
    fileprivate var isText: Bool {
        if case .text = self { true } else { false }
    }
}
