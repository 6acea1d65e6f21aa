import ClientProtocol
import EventLoop
import Execution
import Fanout
import JSON
import Model
import Quotas
import Services
import Synchronization
import Telemetry
import ThreadMessages

/// The commands of a session: takes them from messages, begins each in its turn, and answers it.
///
/// - Confinement: loop
struct SessionCommands {
    private let session: ServerSession
    private var door: SessionDoor { session.door }
    private var account: UserAccount? { session.account }
    private var address: ConnectionAddress { session.address }
    private var isOneWay: Bool { session.framing.isOneWay }

    init(_ session: ServerSession) { self.session = session }

    // MARK: From a message to its command

    /// Takes a message of the client.
    func receive(_ payload: [UInt8]) {
        door.settings.metrics.commands.add(1)
        let weightOfBytes = payload.count / Limits.bytesPerWeight
        guard weightOfBytes > 0 else { return decode(payload, taken: 0) }
        // A large message counts before it is decoded, also when it is refused.
        if let refusal = refusal(
            forWeight: weightOfBytes, of: weightOfBytes + CommandEnvelope.weightMax(of: payload),
            refused: weightOfBytes)
        {
            return session.refuse(CommandMessage.id(in: payload), refusal)
        }
        session.tcp.measured { decode(payload, taken: weightOfBytes) }
    }

    private func decode(_ payload: [UInt8], taken: Int) {
        switch CommandEnvelope.decode(payload) {
        case .failure(let refused):
            let refusal = session.pace.take(at: door.loop.now).map(Refusal.tooFast) ?? refused.refusal
            session.refuse(refused.id, refusal, isAlwaysAnswered: refused.isAlwaysAnswered)
        case .success(let envelope):
            if let refusal = refusal(forWeight: envelope.weight, of: taken + envelope.weight) {
                session.refuse(envelope.id, refusal)
            } else if door.settings.isMember {
                receive(envelope.keeping(payload))
            } else {
                receive(envelope)
            }
        }
    }

    /// Takes a command's weight from the connection's pace, and from the one that all connections of its user share.
    private func refusal(forWeight weight: Int, of whole: @autoclosure () -> Int, refused: Int = 1) -> Refusal? {
        let now = door.loop.now
        guard session.pace.take(weight, refused: refused, at: now) == nil else {
            return Refusal.tooFast(session.pace.wait(for: whole()))
        }
        guard let account, account.take(weight, at: now) != nil, let wait = account.take(whole(), at: now) else {
            return nil
        }
        door.settings.refused(.pace, session.client)
        session.rest()
        return Refusal.tooMuchWork(max(wait, session.pace.wait(for: whole())))
    }

    private func receive(_ envelope: CommandEnvelope) {
        if door.settings.log.tellsDebug {
            door.settings.log.debug(
                "took a command",
                [
                    "session": session.id,
                    "user": session.identity?.person.map { door.tokens.shown($0.name) } ?? "none",
                    "command": envelope.name,
                ])
        }
        if case .hello(let hello) = envelope.work { return SessionOpening(session).greet(hello, envelope.id) }
        switch session.state {
        case .waitingForHello:
            session.refuse(envelope.id, Refusal(.unauthenticated, "the first command is hello, with a token"))
        case .starting, .ready:
            guard let refusal = refusal(toQueue: envelope.heldBytes) else { return run(envelope) }
            session.refuse(envelope.id, refusal)
        case .closing:
            break
        }
    }

    /// Why one more command may not be under way; nil when it may.
    private func refusal(toQueue bytes: Int) -> Refusal? {
        guard door.drain.deadline == nil else {
            return Refusal(.unavailable, "the server stops; repeat this with the same key when connected again")
        }
        guard session.queue.count < Limits.commandsInFlightMax else {
            return Refusal(
                .tooMany, "at most \(Limits.commandsInFlightMax) commands may wait for their replies",
                retryAfterMilliseconds: 100)
        }
        guard session.connection.mayHold(session.heldBytes + bytes) else {
            door.settings.refused(.memory, session.client)
            return .overloaded
        }
        return nil
    }

    // MARK: Beginning

    /// Begins every command whose turn it is.
    func runQueue() {
        guard session.queue.isWaiting else { return }
        while case .ready(let identity) = session.state,
            let envelope = session.queue.next(isCongested: session.tcp.isCongested)
        {
            begin(envelope, identity)
        }
    }

    /// Begins a command whose turn it is, or puts it after the others.
    private func run(_ envelope: CommandEnvelope) {
        guard case .ready(let identity) = session.state,
            session.queue.mayBegin(envelope.work, isCongested: session.tcp.isCongested)
        else { return session.queue.append(envelope) }
        begin(envelope, identity)
    }

    private func begin(_ envelope: CommandEnvelope, _ identity: SessionIdentity) {
        do {
            try perform(envelope, identity)
        } catch {
            if error.code == .unavailable { session.rest() }
            session.refuse(envelope.id, error)
            // The watches of a stream without commands start one after the other, and this one gets no answer.
            guard case .watch = envelope.work, isOneWay else { return }
            identity.withholdsIDs ? session.close(.overloaded) : DocumentWatching(session, identity).queueAsked()
        }
    }

    private func perform(_ envelope: CommandEnvelope, _ identity: SessionIdentity) throws(Refusal) {
        let (id, bytes) = (envelope.id, envelope.heldBytes)
        guard let person = identity.person, let actor = identity.actor else {
            guard case .watch(let command) = envelope.work else { throw Refusal(.forbidden, "this needs a token") }
            return try DocumentWatching(session, identity).begin(command, id)
        }
        switch envelope.work {
        case .hello: break
        case .ping:
            let time = door.settings.clock.now().text
            session.answer(id) { $0.member("time", time) }
        case .write(let useCase):
            try write(useCase, by: actor, envelope, identity)
            if let position = useCase.handledPosition { identity.acknowledge(position, door.log) }
        case .read(let useCase):
            try read(.useCase(useCase, actor, at: door.settings.clock.now(), .read(id)), of: envelope)
        case .readInLanguage(let useCase):
            let useCase = useCase(identity.deviceLanguage)
            try read(.useCase(useCase, actor, at: door.settings.clock.now(), .read(id)), of: envelope)
        case .refused(let refusal): throw refusal
        case .typing(let command):
            let now = door.settings.clock.now()
            try read(.typing(command.chat, isOn: command.on, by: person.id, at: now, .read(id)), of: envelope)
        case .focus(let command):
            identity.setFocus(command)
            session.answer(id) { _ in }
        case .watch(let command):
            // A stream has no replies, and asks for one watch at a time.
            if !isOneWay { try door.orders.admit(bytes, for: account) }
            try DocumentWatching(session, identity).begin(command, id)
        case .unwatch(let command):
            DocumentWatching(session, identity).end(command.path)
            session.answer(id) { $0.member("path", command.path.text) }
        case .device(let command):
            let device = session.device(of: identity)
            try write(command.useCase(of: device, door.settings.pushOffer), by: actor, envelope, identity)
        case .presence(let command): try read(.watch(command.watch, by: person.id, .read(id)), of: envelope)
        }
    }

    private func write(
        _ useCase: any WriteUseCase, by actor: Actor, _ envelope: CommandEnvelope, _ identity: SessionIdentity
    ) throws(Refusal) {
        try door.orders.submit(
            useCase, by: actor, for: address, .write(envelope.id), bytes: envelope.heldBytes, weight: envelope.weight,
            account, handing: envelope.text.map { source($0, identity) })
        session.queue.beganWrite()
    }

    /// A command as another node can take it.
    private func source(_ text: [UInt8], _ identity: SessionIdentity) -> HandedWork {
        let device = session.device(of: identity)
        return .command(
            HandedText(
                text, device: device.name, deviceLanguage: device.language, tokenID: device.tokenID,
                tokenIssued: device.tokenIssued, isPaced: account != nil))
    }

    private func read(_ work: ReadOrder.Work, of envelope: CommandEnvelope) throws(Refusal) {
        try door.orders.admit(envelope.heldBytes, for: account)
        session.queue.beganRead()
        door.orders.read(work, for: address, bytes: envelope.heldBytes, weight: envelope.weight, account)
    }

    // MARK: Answering

    /// Answers a command, and goes on to those after it.
    func finish(_ id: RequestID?, _ outcome: Outcome, _ kind: CommandQueue.Kind) {
        reply(id, outcome, kind)
        goOn()
    }

    /// A command was answered: begins those that waited for it.
    func goOn() {
        guard !session.isClosing else { return }
        runQueue()
        session.closeIfDrained()
    }

    /// Answers a command that was under way.
    func reply(_ id: RequestID?, _ outcome: Outcome, _ kind: CommandQueue.Kind) {
        session.queue.ended(kind)
        switch kind {
        case .write: replyToWrite(id, outcome)
        case .read: replyToRead(id, outcome)
        }
    }

    /// The reply to a write is sent in any case.
    private func replyToWrite(_ id: RequestID?, _ outcome: Outcome) {
        guard !session.isClosing else { return }
        switch outcome {
        case .success(let answer): if let id { session.send(reply: Reply.ok(re: id, encoded: answer.body)) }
        case .failure(let refusal): refuse(id, refusal)
        }
    }

    /// The reply to a read depends on the memory that is left, because a read can be repeated.
    private func replyToRead(_ id: RequestID?, _ outcome: Outcome) {
        let watch = session.identity?.watches.pending
        if watch != nil { session.identity?.watches.pending = nil }
        guard !session.isClosing else { return }
        if isOneWay, let watch, let watching = session.watching { return watching.announce(watch, outcome) }
        switch outcome {
        case .success(let answer):
            guard let id else { return }
            guard door.memory.mayAnswer(answer.body.count) else {
                if let watch { session.watching?.end(watch.command.path) }
                door.settings.refused(.memory, session.client)
                return session.refuse(id, .overloaded)
            }
            session.send(reply: Reply.ok(re: id, encoded: answer.body))
        case .failure(let refusal): refuse(id, refusal)
        }
    }

    /// The document that a conflict shows was not written, and can be read again.
    private func refuse(_ id: RequestID?, _ refusal: Refusal) {
        session.refuse(id, door.memory.mayAnswer(refusal.found?.data?.count ?? 0) ? refusal : .overloaded)
    }
}
