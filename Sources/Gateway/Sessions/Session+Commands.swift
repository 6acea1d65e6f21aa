import ClientProtocol
import EventLoop
import Fanout
import JSON
import Mail
import Model
import Peers
import Services
import Telemetry

extension Session {
    /// Begins every command whose turn it is.
    func runQueue() {
        while case .ready(let identity) = state, let waiting = queue.next(isCongested: tcp.isCongested) {
            begin(waiting.envelope, bytes: Int(waiting.bytes), identity)
        }
    }

    /// Begins a command whose turn it is, or puts it behind the others.
    func run(_ envelope: CommandEnvelope, bytes: Int) {
        guard case .ready(let identity) = state, queue.mayBegin(envelope.work, isCongested: tcp.isCongested) else {
            return queue.append(envelope, bytes: bytes)
        }
        begin(envelope, bytes: bytes, identity)
    }

    private func begin(_ envelope: CommandEnvelope, bytes: Int, _ identity: SessionIdentity) {
        do {
            try perform(envelope, bytes: bytes, identity)
        } catch {
            if error.code == .unavailable { rest() }
            refuse(envelope.id, error)
            // What a stream without commands asked for comes one after the other, and this one brings no answer.
            guard case .watch = envelope.work, framing.isOneWay else { return }
            identity.withholdsIDs ? close(.overloaded) : queueAskedWatch()
        }
    }

    private func perform(_ envelope: CommandEnvelope, bytes: Int, _ identity: SessionIdentity) throws(Refusal) {
        let id = envelope.id
        guard let person = identity.person, let actor = identity.actor else {
            guard case .watch(let command) = envelope.work else { throw Refusal(.forbidden, "this needs a token") }
            return try watch(command, id, identity)
        }
        // A stream has no replies, and asks for one watch at a time.
        if envelope.work.isRead, !framing.isOneWay { try server.admit(bytes, for: connection.pacedAccount) }
        switch envelope.work {
        case .hello: break
        case .ping:
            let time = server.settings.clock.now().text
            answer(id) { $0.member("time", time) }
        case .write(let useCase): try write(useCase, by: actor, bytes: bytes, id)
        case .read(let useCase): read(useCase, by: actor, bytes: bytes, id)
        case .readInLanguage(let useCase): read(useCase(identity.deviceLanguage), by: actor, bytes: bytes, id)
        case .refused(let refusal): throw refusal
        case .typing(let command):
            queue.beganRead()
            server.read(
                .typing(command.chat, isOn: command.on, by: person.id, .read(id)), for: address, bytes: bytes,
                connection.pacedAccount)
        case .watch(let command): try watch(command, id, identity)
        case .unwatch(let command): unwatch(command.path, id, identity)
        case .presence(let command):
            queue.beganRead()
            server.read(
                .watch(command.watch, by: person.id, .read(id)), for: address, bytes: bytes,
                connection.pacedAccount)
        }
    }

    private func write(
        _ useCase: any WriteUseCase, by actor: Actor, bytes: Int, _ id: RequestID?
    ) throws(Refusal) {
        try server.submit(
            useCase, by: actor, for: address, .write(id), bytes: bytes, connection.pacedAccount)
        queue.beganWrite()
    }

    private func read(_ useCase: any ReadUseCase, by actor: Actor, bytes: Int, _ id: RequestID?) {
        queue.beganRead()
        let now = server.settings.clock.now()
        server.read(
            .useCase(useCase, actor, at: now, .read(id)), for: address, bytes: bytes,
            connection.pacedAccount)
    }

    /// A command is answered, or the user is made known.
    func answered(_ ticket: Ticket, _ outcome: Outcome) {
        switch ticket {
        case .registration: registered(outcome)
        case .watchedStream: watchedStreamOpened(outcome)
        case .write(let id): answerWrite(id, outcome)
        case .read(let id): finish(id, outcome, .read)
        case .request, .none: break
        }
    }

    /// Answers a command, and goes on to those behind it.
    func finish(_ id: RequestID?, _ outcome: Outcome, _ kind: CommandQueue.Kind) {
        reply(id, outcome, kind)
        guard !isClosing else { return }
        runQueue()
        closeIfDrained()
    }

    /// Answers a command that was under way.
    func reply(_ id: RequestID?, _ outcome: Outcome, _ kind: CommandQueue.Kind) {
        queue.ended(kind)
        let watch = kind == .read ? identity?.watches.pending : nil
        if watch != nil { identity?.watches.pending = nil }
        guard !isClosing else { return }
        if framing.isOneWay, let watch { return tell(watch, outcome) }
        switch outcome {
        case .success(let body):
            // What was written is told in any case; what was read can be read again.
            if let id, kind == .write || server.mayAnswer(body.count) {
                send(Reply.ok(re: id, encoded: body))
            } else if id != nil {
                if let watch { dropWatch(of: watch.command.path) }
                server.refused(.memory, connection.client)
                refuse(id, .overloaded)
            }
        case .failure(let refusal):
            // What a conflict shows was not written, and can be read again.
            refuse(id, server.mayAnswer(refusal.found?.data?.count ?? 0) ? refusal : .overloaded)
        }
    }

    /// Whom a session may watch is known: watches them, and tells who is online.
    func watch(_ people: [Person], _ ticket: Ticket) {
        guard case .read(let id) = ticket else { return }
        let online = server.presence.watch(people.map { ($0.id, $0.name) }, by: address.slot)
        var body = JSONWriter()
        body.beginObject()
        body.name("online")
        body.beginArray()
        for name in online { body.string(name.text) }
        body.endArray()
        body.endObject()
        finish(id, .success(body.bytes), .read)
    }

    /// Answers a command that needs nobody else.
    func answer(_ id: RequestID?, body: (inout JSONWriter) -> Void) {
        guard let id else { return }
        send(Reply.ok(re: id, body: body))
    }
}
