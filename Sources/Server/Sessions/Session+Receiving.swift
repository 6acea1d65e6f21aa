import ClientProtocol
import EventLoop
import Model
import Synchronization
import Wire

extension Session {
    /// Takes the bytes of one read.
    func receive(_ bytes: RawSpan) {
        pulse.heard(at: server.loop.now)
        codec.receive(bytes, into: &incoming)
        for event in incoming {
            guard !isClosing else { break }
            switch event {
            case .text(let payload): receiveMessage(payload)
            case .binary: end(CloseCode.unsupportedData.rawValue, "messages are JSON text")
            case .ping(let payload): tcp.write(FrameEncoder.pong(payload))
            case .pong: break
            case .close(let code, _): end(code, "")
            case .violation(let violation): end(violation.closeCode, violation.reason)
            }
        }
        incoming.removeAll(keepingCapacity: true)
        // A client that sends without reading its replies is not read from until it does: they must not pile up here.
        if tcp.queuedBytes > Limits.unreadRepliesBytesMax { tcp.pauseReading() }
    }

    private func receiveMessage(_ payload: [UInt8]) {
        server.settings.metrics.commands.add(1, ordering: .relaxed)
        switch CommandDecoder.decode(payload) {
        case .failure(let refused):
            refuse(refused.id, refused.refusal)
        case .success(let envelope):
            if let wait = pace.take(at: server.loop.now) {
                refuse(
                    envelope.id,
                    Refusal(
                        .rateLimited, "at most \(Limits.commandsPerSecond) commands a second",
                        retryAfterMilliseconds: wait))
            } else {
                receive(envelope)
            }
        }
    }

    private func receive(_ envelope: CommandEnvelope) {
        if case .hello(let hello) = envelope.command { return greet(hello, envelope.id) }
        switch state {
        case .waitingForHello:
            refuse(envelope.id, Refusal(.unauthenticated, "the first command is hello, with a token"))
        case .starting, .ready:
            guard drainDeadline == nil else {
                return refuse(
                    envelope.id, Refusal(.unavailable, "the server stops; repeat this when connected again"))
            }
            guard queue.count < Limits.commandsInFlightMax else {
                return refuse(
                    envelope.id,
                    Refusal(
                        .tooMany, "at most \(Limits.commandsInFlightMax) commands may wait for their replies",
                        retryAfterMilliseconds: 100))
            }
            queue.append(envelope)
            runQueue()
        case .closing:
            break
        }
    }

    /// Answers a command with an error. One that could not be read gets its answer too, with `re` null.
    func refuse(_ id: RequestID?, _ refusal: Refusal) {
        server.settings.metrics.refusals.add(1, ordering: .relaxed)
        guard id != nil || refusal.code == .badRequest || refusal.code == .tooLarge else { return }
        send(Reply.error(re: id, refusal))
    }
}
