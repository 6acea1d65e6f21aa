import ClientProtocol
import EventLoop
import Execution
import JSON
import Model
import Quotas
import Services
import Synchronization
import Telemetry
import ThreadMessages

// Messages of the client, and answers to it: see ``MessageReceiver`` and ``SessionCommands``.
extension ServerSession: MessageClient {
    var inflationAccount: UserAccount? { connection.account }

    /// Takes the bytes of one read.
    func receive(_ bytes: RawSpan) {
        guard !framing.isOneWay else { return }
        pulse.heard(at: door.loop.now)
        MessageReceiver(self).receive(bytes)
    }

    func receiveMessage(_ payload: [UInt8]) { SessionCommands(self).receive(payload) }

    func flooded() {
        guard !isClosing else { return }
        door.settings.refused(.flooding, client)
        close(.flooding)
    }

    func inflatedTooMuch() { close(.flooding) }

    /// The turn has come for what was left for a later one.
    func goOn() { MessageReceiver(self).goOn() }

    /// Reads nothing for a moment: that slows down a client that does not wait when it is asked to.
    func rest() {
        guard !isResting, !isClosing else { return }
        isResting = true
        tcp.pauseReading()
        door.resting.begin(address)
    }

    /// The moment is over.
    func rested() {
        isResting = false
        // A congested connection is read from again when that is over.
        if !tcp.isCongested, !isClosing { tcp.resumeReading() }
    }

    // MARK: Answers

    /// An answer of the writer or of a reader has arrived.
    func answered(_ ticket: Ticket, _ outcome: Outcome) {
        switch ticket {
        case .registration: SessionOpening(self).registered(outcome)
        case .watchedStream: watching?.streamOpened(outcome)
        case .write(let id):
            if let delivery { delivery.answerWrite(id, outcome) } else { finish(id, outcome, .write) }
        case .read(let id): finish(id, outcome, .read)
        case .request, .audit, .none: break
        }
    }

    /// The people that the session may observe are known: observes them, and answers which of them are online.
    func watch(_ people: [Person], _ ticket: Ticket) {
        guard case .read(let id) = ticket, let observer = identity?.person?.id else { return }
        let online = door.presence.watch(people, by: address.slot, of: observer)
        var body = JSONWriter()
        body.beginObject()
        body.name("online")
        body.beginArray()
        for name in online { body.string(name.text) }
        body.endArray()
        body.endObject()
        finish(id, .success(EncodedAnswer(body.bytes)), .read)
    }

    /// Answers a command at once.
    func answer(_ id: RequestID?, body: (inout JSONWriter) -> Void) {
        guard let id else { return }
        send(reply: Reply.ok(re: id, body: body))
    }

    /// Answers a command with an error; one without an id wants no answer, unless it could not be read at all.
    func refuse(_ id: RequestID?, _ refusal: Refusal, isAlwaysAnswered: Bool = false) {
        door.settings.metrics.refusals.add(1, refusal.code.rawValue)
        if door.settings.log.tellsDebug {
            door.settings.log.debug(
                "refused a command",
                [
                    "session": self.id, "code": refusal.code.rawValue, "field": refusal.field ?? "none",
                    "address": "\(client)",
                ])
        }
        if id != nil || isAlwaysAnswered { send(reply: Reply.error(re: id, refusal)) }
    }

    // A part of the session answers, or asks.

    func beganRead() { queue.beganRead() }

    func enqueue(_ watch: WatchCommand) {
        queue.append(CommandEnvelope(id: nil, name: WatchCommand.name, work: .watch(watch)))
    }

    func reply(_ id: RequestID?, _ outcome: Outcome, _ kind: CommandQueue.Kind) {
        SessionCommands(self).reply(id, outcome, kind)
    }

    func finish(_ id: RequestID?, _ outcome: Outcome, _ kind: CommandQueue.Kind) {
        SessionCommands(self).finish(id, outcome, kind)
    }
}
