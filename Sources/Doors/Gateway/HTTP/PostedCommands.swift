import Admin
import Authentication
import ClientProtocol
import EventLoop
import Execution
import JSON
import Model
import Quotas
import Services
import Store
import Synchronization
import Telemetry
import ThreadMessages

/// The commands that come on one connection, one at a time.
///
/// A command goes the way it goes in a session. A session knows its user; here the user is read first, once for each
/// connection unless the user changes, and registered if they are new.
///
/// - Confinement: loop
struct PostedCommands {
    /// The state of a command after a step.
    enum Step {
        /// It is under way. Its answer may be withheld if it only reads.
        case underWay(isRead: Bool)
        case answered(Outcome)
    }

    private let door: LoopDoor
    private let address: ConnectionAddress
    /// The command under way.
    private(set) var command: PostedCommand?
    /// The user of the command that came last.
    private var person: Person?
    /// The account that pays for the command under way; nil for an administrator's.
    private var account: UserAccount?

    init(_ door: LoopDoor, for address: ConnectionAddress) {
        self.door = door
        self.address = address
    }

    /// Begins a command.
    ///
    /// - Parameters:
    ///   - pace: of the connection.
    ///   - client: who sends it.
    mutating func begin(
        _ command: PostedCommand, at pace: inout CommandPace, from client: IPAddress
    ) throws(Refusal) -> Step {
        door.settings.metrics.commands.add(1)
        if let wait = pace.take(command.weight, at: door.loop.now) { throw Refusal.tooFast(wait) }
        account = command.isAdmin ? nil : door.settings.peers.users.find(command.user)
        if let wait = account?.take(command.weight, at: door.loop.now) {
            door.settings.refused(.pace, client)
            throw Refusal.tooMuchWork(max(wait, pace.wait(for: command.weight)))
        }
        self.command = command
        guard let person, person.name == command.user else { return readUser(of: command) }
        return try perform(command, by: person)
    }

    /// The user of the command was read; nil when they are not known yet.
    mutating func started(_ reading: SessionReading?) throws(Refusal) -> Step? {
        guard let command else { return nil }
        if let user = reading?.start.user {
            let person = Person(id: user.id, name: user.name)
            self.person = person
            return try perform(command, by: person)
        }
        let useCase = RegisterUser(command.user, deviceLanguage: nil)
        try door.orders.submit(
            useCase, by: .server, for: address, .registration, account,
            source: .registration(command.user, deviceLanguage: nil))
        return .underWay(isRead: false)
    }

    /// The user of the command was registered: reads again.
    func registered(_ outcome: Outcome) -> Step? {
        guard let command else { return nil }
        switch outcome {
        case .success: return readUser(of: command)
        case .failure(let refusal): return .answered(.failure(refusal))
        }
    }

    /// The command under way is answered.
    mutating func end() {
        command = nil
        account = nil
    }

    private func readUser(of command: PostedCommand) -> Step {
        door.orders.read(.start(command.user, since: nil, device: nil, deviceLanguage: nil), for: address, account)
        return .underWay(isRead: false)
    }

    private func perform(_ command: PostedCommand, by person: Person) throws(Refusal) -> Step {
        let now = door.settings.clock.now()
        let actor = person.actor(command.roles)
        if command.envelope.work.isRead { try door.orders.admit(command.bytes, for: account) }
        switch command.envelope.work {
        case .write(var documents as WriteDocuments):
            documents.chain = command.chain
            try write(documents, by: actor, command)
        case .write(let useCase): try write(useCase, by: actor, command)
        case .read(let useCase):
            read(.useCase(useCase, actor, at: now, .request), command)
            return .underWay(isRead: true)
        case .readInLanguage(let useCase):
            read(.useCase(useCase(nil), actor, at: now, .request), command)
            return .underWay(isRead: true)
        case .refused(let refusal): throw refusal
        case .typing(let typing):
            read(.typing(typing.chat, isOn: typing.on, by: person.id, at: now, .request), command)
        case .ping: return .answered(.success(EncodedAnswer(JSONValue.object(["time": .string(now.text)]).bytes)))
        case .hello, .presence, .focus, .watch, .unwatch, .device:
            let name = command.envelope.name
            throw Refusal.badRequest(field: "type", "must be a command that needs no session, not \(name)")
        }
        return .underWay(isRead: false)
    }

    private func write(_ useCase: any WriteUseCase, by actor: Actor, _ command: PostedCommand) throws(Refusal) {
        try door.orders.submit(
            useCase, by: actor, for: address, .request, bytes: command.bytes, weight: command.weight, account,
            source: command.source)
    }

    private func read(_ work: ReadOrder.Work, _ command: PostedCommand) {
        door.orders.read(work, for: address, bytes: command.bytes, weight: command.weight, account)
    }
}
