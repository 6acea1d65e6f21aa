import ClientProtocol
import EventLoop
import Fanout
import JSON
import Model
import Services

extension Session {
    /// Begins every command whose turn it is.
    func runQueue() {
        while case .ready(let identity) = state, let envelope = queue.next(isCongested: tcp.isCongested) {
            do {
                try begin(envelope, identity)
            } catch {
                refuse(envelope.id, error)
            }
        }
    }

    private func begin(_ envelope: CommandEnvelope, _ identity: SessionIdentity) throws(Refusal) {
        let id = envelope.id
        switch envelope.command {
        case .hello: break
        case .ping:
            let time = server.settings.clock.now().text
            answer(id) { $0.member("time", time) }
        case .recommend(let command): try write(RecommendProduct(command), id, identity)
        case .send(let command): try write(SendMessage(command), id, identity)
        case .read(let command): try write(MarkRead(command), id, identity)
        case .follow(let command):
            try write(FollowTopic(command.topic, isOn: true, key: command.key), id, identity)
        case .unfollow(let command):
            try write(FollowTopic(command.topic, isOn: false, key: command.key), id, identity)
        case .seen(let command): try write(MarkSeen(command), id, identity)
        case .ack(let command): try write(AcknowledgePosition(command.seq), id, identity)
        case .preferences(let command):
            if let set = command.set {
                try write(try ChangePreferences(set), id, identity)
            } else {
                read(ReadPreferences(), id, identity)
            }
        case .chats(let command): read(ListChats(command), id, identity)
        case .history(let command): read(ReadHistory(command), id, identity)
        case .following(let command): read(ListFollowing(command), id, identity)
        case .followers(let command): read(ListFollowers(command), id, identity)
        case .notifications(let command):
            read(ListNotifications(command, deviceLanguage: identity.deviceLanguage), id, identity)
        case .typing(let command):
            queue.beganRead()
            server.read(
                .typing(command.chat, isOn: command.on, by: identity.person.id, .read(id)), for: address)
        case .presence(let command):
            queue.beganRead()
            server.read(.watch(command.watch, by: identity.person.id, .read(id)), for: address)
        case .edit, .delete, .react, .roomCreate, .roomInvite, .roomLeave, .device, .block, .unblock, .report, .search,
            .get, .put, .patch, .remove, .watch, .unwatch:
            throw Refusal(
                .unknownCommand, "this server does not know the command \(envelope.command.name.rawValue) yet",
                field: "type")
        }
    }

    private func write(
        _ useCase: any WriteUseCase, _ id: RequestID?, _ identity: SessionIdentity
    ) throws(Refusal) {
        let actor = Actor.user(identity.person.id, identity.person.name)
        try server.submit(useCase, by: actor, for: address, .write(id))
        queue.beganWrite()
    }

    private func read(_ useCase: any ReadUseCase, _ id: RequestID?, _ identity: SessionIdentity) {
        queue.beganRead()
        let actor = Actor.user(identity.person.id, identity.person.name)
        server.read(.useCase(useCase, actor, at: server.settings.clock.now(), .read(id)), for: address)
    }

    /// A command is answered, or the user is made known.
    func answered(_ ticket: Ticket, _ outcome: Outcome) {
        switch ticket {
        case .registration: registered(outcome)
        case .write(let id): finish(id, outcome, .write)
        case .read(let id): finish(id, outcome, .read)
        case .request, .none: break
        }
    }

    private func finish(_ id: RequestID?, _ outcome: Outcome, _ kind: CommandQueue.Kind) {
        queue.ended(kind)
        guard !isClosing else { return }
        switch outcome {
        case .success(let body): if let id { send(Reply.ok(re: id, encoded: body)) }
        case .failure(let refusal): refuse(id, refusal)
        }
        runQueue()
        closeIfDrained()
    }

    /// Whom a session may watch is known: watches them, and tells who is online.
    func watch(_ people: [Person], _ ticket: Ticket) {
        guard case .read(let id) = ticket else { return }
        server.presence.watch(people.map(\.id), by: address.slot)
        let online = people.filter { server.presence.isOnline($0.id) }
        var body = JSONWriter()
        body.beginObject()
        body.name("online")
        body.beginArray()
        for person in online { body.string(person.name.text) }
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
