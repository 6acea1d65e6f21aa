import Authentication
import ClientProtocol
import EventLoop
import JSON
import Mail
import Model
import Peers
import Services
import Store
import Synchronization
import Telemetry

/// A command that came by `POST /v1/commands`, and whose it is.
///
/// - Confinement: any
struct PostedCommand: Sendable {
    let envelope: CommandEnvelope
    /// That it takes in memory.
    let bytes: Int
    /// What it costs.
    let weight: Int
    let user: UserID
    /// That the token says.
    let roles: Set<RoleName>
    /// Whether an administrator sent it, whose work is not bounded.
    let isAdmin: Bool
    /// The triggers through which it came about, where a webhook's receiver writes back with the token of an
    /// administrator. Nobody else is believed: he could keep triggers from seeing what he writes.
    let chain: TriggerChain

    /// - Throws: `Refusal` when the token or the command is not what it must be.
    init(_ call: HTTPCall, at door: any RequestDoor) throws(Refusal) {
        let claims = try call.claims(at: door)
        user = claims.subject
        roles = claims.roles
        isAdmin = claims.isAdmin
        chain = claims.isAdmin ? try call.chain() : .none
        switch CommandEnvelope.decode(call.body) {
        case .success(let envelope):
            self.envelope = envelope
            bytes = envelope.heldBytes
            weight = envelope.weight + call.body.count / Limits.bytesPerWeight
        case .failure(let refused): throw refused.refusal
        }
    }

    /// The answer: the reply that a session would get, without `re` where the command has no id.
    func reply(_ body: [UInt8]) -> [UInt8] {
        if let id = envelope.id { return Reply.ok(re: id, encoded: body) }
        var writer = JSONWriter(capacity: body.count + 8)
        writer.beginObject()
        writer.name("ok")
        writer.raw(body)
        writer.endObject()
        return writer.bytes
    }
}

// A command goes the way it goes in a session, which knows its user: here he is read first, once for each connection
// unless the user changes, and made known if he was not.
extension HTTPConversation {
    /// Begins a command.
    func begin(_ command: PostedCommand) throws(Refusal) {
        server.settings.metrics.commands.add(1, ordering: .relaxed)
        if let wait = pace.take(command.weight, at: server.loop.now) { throw Refusal.tooFast(wait) }
        account = command.isAdmin ? nil : server.settings.peers.users.find(command.user)
        if let wait = account?.take(command.weight, at: server.loop.now) {
            server.refused(.pace, connection.client)
            throw Refusal.tooMuchWork(wait)
        }
        self.command = command
        if let person, person.name == command.user {
            try perform(command, by: person)
        } else {
            readUser(of: command)
        }
    }

    /// The user of the command was read; nil when he is not known yet.
    func started(_ reading: SessionReading?) {
        guard let command else { return }
        do {
            if let user = reading?.start.user {
                let person = Person(id: user.id, name: user.name)
                self.person = person
                try perform(command, by: person)
            } else {
                let useCase = RegisterUser(command.user, deviceLanguage: nil)
                try server.submit(useCase, by: .server, for: connection.address, .registration, account)
            }
        } catch {
            answered(.request, .failure(error))
        }
    }

    /// The user of the command was made known: read again.
    func registered(_ outcome: Outcome) {
        guard let command else { return }
        switch outcome {
        case .success: readUser(of: command)
        case .failure(let refusal): answered(.request, .failure(refusal))
        }
    }

    private func readUser(of command: PostedCommand) {
        server.read(.start(command.user, since: nil, deviceLanguage: nil), for: connection.address, account)
    }

    private func perform(_ command: PostedCommand, by person: Person) throws(Refusal) {
        let address = connection.address
        let now = server.settings.clock.now()
        let (bytes, actor) = (command.bytes, person.actor(command.roles))
        if command.envelope.work.isRead { try server.admit(bytes, for: account) }
        switch command.envelope.work {
        case .write(var documents as WriteDocuments):
            documents.chain = command.chain
            try server.submit(documents, by: actor, for: address, .request, bytes: bytes, account)
        case .write(let useCase):
            try server.submit(useCase, by: actor, for: address, .request, bytes: bytes, account)
        case .read(let useCase):
            isReading = true
            server.read(.useCase(useCase, actor, at: now, .request), for: address, bytes: bytes, account)
        case .readInLanguage(let useCase):
            isReading = true
            server.read(.useCase(useCase(nil), actor, at: now, .request), for: address, bytes: bytes, account)
        case .refused(let refusal): throw refusal
        case .typing(let typing):
            server.read(
                .typing(typing.chat, isOn: typing.on, by: person.id, .request), for: address, bytes: bytes, account)
        case .ping: answered(.request, .success(JSONValue.object(["time": .string(now.text)]).bytes))
        case .hello, .presence, .watch, .unwatch:
            throw Refusal.badRequest(
                field: "type", "must be a command that needs no session, not \(command.envelope.name)")
        }
    }
}
