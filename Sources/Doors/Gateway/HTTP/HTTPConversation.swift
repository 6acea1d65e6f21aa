import Admin
import Authentication
import ClientProtocol
import Configuration
import Crypto
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
import Wire

/// The HTTP side of a connection: one request at a time, answered in order.
///
/// - Confinement: loop
final class HTTPConversation {
    unowned let connection: ServerConnection
    private let intake: RequestIntake
    private var commands: PostedCommands
    private var pace: CommandPace
    private var stage = ConversationStage.receiving
    var audit = RequestAudit()
    private var isRunning = false
    private var record: RequestRecord?

    init(_ connection: ServerConnection, from origin: IPAddress) {
        self.connection = connection
        intake = RequestIntake(connection, from: origin)
        commands = PostedCommands(connection.door, for: connection.address)
        pace = CommandPace(at: connection.door.loop.now)
    }

    var door: LoopDoor { connection.door }
    var request: HTTPCall? { intake.request }

    /// Bytes kept for the client, without those that wait for the socket.
    var heldBytes: Int { intake.heldBytes }

    func receive(_ bytes: RawSpan) {
        guard !stage.isEnding else { return }
        intake.receive(bytes)
        run()
    }

    /// Other connections had their turn: goes on with the requests that wait.
    func goOn() { run() }

    /// The socket takes more again: goes on with the requests that wait.
    func drained() {
        stage.backup?.drained()
        run()
    }

    /// A copy of the database goes on.
    func received(_ news: BackupNews) {
        guard let backup = stage.backup else { return }
        if let note = audit.owed { return begin(news, note) }
        let step = backup.received(news)
        if case .goesOn = step { return }
        stage = .answering(.any)
        switch step {
        case .goesOn: break
        case .refused(let refusal): respond(Problem(refusal))
        case .broken: connection.tcp.close()
        case .ended: responded(keepsAlive: backup.isChunked)
        }
    }

    /// Answers request after request, in a loop: a packet may hold thousands, and the stack is not for them. After some
    /// of them it is the turn of other connections.
    ///
    /// A client that does not take its answers is not read from, and what it has sent already waits.
    private func run() {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        handleEvents()
        var left = Limits.requestsPerTurnMax
        while case .between = stage, !connection.tcp.isCongested {
            guard left > 0 else { return connection.tcp.yieldTurn() }
            left -= 1
            stage = .receiving
            intake.beginNext()
            handleEvents()
        }
        if case .receiving = stage { connection.tcp.resumeReading() }
    }

    private func handleEvents() {
        for event in intake.takeEvents() {
            switch event {
            case .head(let head): begin(head)
            case .body(let bytes):
                guard !stage.isEnding, audit.next == nil else { continue }
                do throws(Refusal) {
                    try intake.take(bytes)
                } catch {
                    respond(Problem(error), closes: true)
                }
            case .end:
                guard let request, !stage.isEnding, audit.next == nil else { continue }
                beginAnswering()
                record = RequestRecord(door.settings.metrics, at: door.loop.turnMicroseconds)
                answer(request)
            case .violation(let status, let reason):
                if !stage.isEnding { respond(Problem(status: status, detail: reason), closes: true) }
            }
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        do throws(Refusal) {
            if let problem = try intake.begin(head) { respond(problem, closes: true) }
        } catch {
            refuse(error, closes: head.hasBody)
        }
    }

    /// The request is being answered: nothing more is read meanwhile.
    func beginAnswering() {
        if !stage.isAnswering { stage = .answering(.any) }
        intake.pause()
        connection.tcp.pauseReading()
    }

    /// Notes the work that is to answer the request.
    func answer(by work: ConversationStage.Work) { stage = .answering(work) }

    /// Too much is held: a request that is not whole is refused, one that is answered goes on.
    func overloaded() {
        guard !stage.isEnding, !stage.isAnswering else { return }
        respond(Problem(Refusal.overloaded), closes: true)
    }

    /// The position came, or did not come in time: then it is of another history, or this node lacks entries.
    func headCame(inTime: Bool) {
        guard case .answering(.position) = stage, let request else { return }
        answer(by: .any)
        inTime || door.sessions.knowsAllEntries ? answer(request, mayWait: false) : refuse(Refusal.lagsOthers)
    }

    private func answer(_ request: HTTPCall, mayWait: Bool = true) {
        do throws(Refusal) {
            if mayWait, try door.waits(for: request, at: connection.address) { return answer(by: .position) }
            try begin(try Router.task(of: request, at: door))
        } catch {
            refuse(error)
        }
    }

    /// Does what a request asks for.
    func perform(_ task: RoutedTask) throws(Refusal) {
        guard let request else { return }
        switch task.route {
        case .now(let response): complete(response)
        case .refused(let problem): respond(problem)
        case .effect(_, let run): complete(run())
        case .write(let useCase):
            let bytes = Limits.orderBytes + JSONValue.treeBytes(ofText: request.body)
            let kept = door.settings.isMember ? intake.headBytes + request.body.count : 0
            try door.orders.submit(
                useCase, by: task.actor, for: connection.address, .request, bytes: bytes + kept, audit: audit.note,
                source: .request(HandedRequest(request)))
            audit.goesWithWrite()
        case .read(let useCase), .content(let useCase):
            answer(by: .reading)
            door.orders.read(
                .useCase(useCase, task.actor, at: door.settings.clock.now(), .request), for: connection.address)
        case .openRead(let read):
            if let wait = pace.take(read.weight, at: door.loop.now) { throw Refusal.tooFast(wait) }
            try read.begin(at: door, for: connection.address, of: connection.client)
            answer(by: .reading)
        case .command(let command):
            follow(try commands.begin(command, at: &pace, from: connection.client))
        case .feedTrial(let feed, let secret):
            answer(by: .reading)
            door.settings.feeds?.mailbox.post(.tryOut(feed, secret, connection.address))
        case .pushTrial(let trial):
            answer(by: .reading)
            door.settings.mail.push?.post(.tryOut(trial, connection.address))
        case .backup(let claims):
            tellAction(200)
            copy(.database, for: claims, request)
        case .export(let export, let claims): copy(.user(export), for: claims, request)
        case .events(let events):
            guard events.claims == nil else { return stream(events, to: request) }
            try OpenRead(checking: events.watches)
                .begin(at: door, for: connection.address, of: connection.client)
            answer(by: .opening(events))
        case .upgrade(let subprotocols, let isEcho):
            let problem = try ProtocolSwitch(connection: connection).webSocket(
                request, subprotocols, isEcho: isEcho, rest: intake.takeRemainder)
            if let problem { respond(problem, closes: true) }
        }
    }

    private func copy(_ data: CopiedData, for claims: Claims, _ request: HTTPCall) {
        let backup = BackupStream(
            data, claims, for: connection.address, on: connection.tcp, version: request.head.version,
            sharing: request.streamFields(for: door.settings.configuration.origins, date: door.dateText),
            from: door.settings.mail.backups)
        answer(by: .copying(backup))
    }

    /// The first news of an export: the audit gets its row before the client gets anything.
    private func begin(_ news: BackupNews, _ note: AuditNote) {
        guard case .refused(let refusal) = news else { return put(note, .done, then: .stream(news)) }
        answer(by: .any)
        refuse(refusal)
    }

    /// Nothing more of a copy is sent: the connection is gone, or the row in the audit cannot be written.
    func dropCopy() {
        guard let backup = stage.backup else { return }
        backup.end()
        answer(by: .any)
    }

    /// Continues after a step of a command.
    private func follow(_ step: PostedCommands.Step?) {
        switch step {
        case .underWay(let isRead): answer(by: isRead ? .reading : .any)
        case .answered(let outcome): answered(.request, outcome)
        case nil: break
        }
    }

    /// The user of a command was read; nil when they are not known yet.
    func started(_ reading: SessionReading?) {
        do throws(Refusal) {
            follow(try commands.started(reading))
        } catch {
            answered(.request, .failure(error))
        }
    }

    /// An answer of the writer or of a reader has arrived.
    func answered(_ ticket: Ticket, _ outcome: Outcome) {
        guard let request, stage.isAnswering else { return }
        if ticket == .audit { return noted(outcome) }
        if ticket == .registration { return follow(commands.registered(outcome)) }
        switch (outcome, stage) {
        case (.success, .answering(.opening(let events))): stream(events, to: request)
        case (.success(let answer), .answering(.reading)) where !door.memory.mayAnswer(answer.body.count):
            door.settings.refused(.memory, connection.client)
            refuse(Refusal.overloaded)
        case (.success(let answer), let stage):
            let reply = commands.command.map { EncodedAnswer($0.reply(answer.body)) }
            let written = stage.mayHaveWritten ? door.written : nil
            complete(Router.response(to: request, reply ?? answer, written: written))
        case (.failure(let refusal), _): refuse(refusal)
        }
    }

    func respond(_ problem: Problem, closes: Bool = false) {
        let id = request?.id ?? door.newRequestID()
        respond(problem.response(to: id), closes: closes, id: id)
    }

    func respond(_ plain: HTTPResponse, closes: Bool = false, id: String? = nil) {
        var response = plain
        response.headers.append(HTTPCall.idField, id ?? request?.id ?? door.newRequestID())
        let sharing = request?.sharing(with: door.settings.configuration.origins)
        for field in sharing?.fields ?? [] { response.headers.append(field.name, field.value) }
        let keepsAlive = !closes && !door.isDraining && request?.head.isKeepAlive == true
        let isHead = request?.head.method == "HEAD"
        tellAction(response.status)
        record.take()?.answered(response.status, door.settings.metrics, door.settings.log, to: request)
        do {
            connection.tcp.write(try response.encoded(isKeepAlive: keepsAlive, isHead: isHead, date: door.dateLine))
        } catch {
            door.settings.log.error("a response could not be encoded", ["error": "\(error)"])
            return connection.tcp.close()
        }
        responded(keepsAlive: keepsAlive)
    }

    /// The answer is written: goes on with the next request, or ends.
    func responded(keepsAlive: Bool) {
        let keepsAlive = keepsAlive && !door.isDraining && request?.head.isKeepAlive == true
        commands.end()
        audit = RequestAudit()
        intake.end(keepsAlive: keepsAlive)
        guard keepsAlive else {
            stage = .ending
            return connection.tcp.closeAfterFlush(timeoutMilliseconds: 2000)
        }
        stage = .between
        run()
    }

    /// From here on the connection is the body of one response, to which events are added as they come.
    private func stream(_ events: EventsRequest, to request: HTTPCall) {
        let refused = ProtocolSwitch(connection: connection).eventStream(events, to: request)
        if let refused { respond(refused.problem, closes: refused.closes) }
    }

    func eachSecond() {
        let isStalled = connection.tcp.stalledMilliseconds >= Limits.stalledMilliseconds
        if let backup = stage.backup, isStalled || !door.tokens.areGood(backup.claims) {
            return connection.tcp.close()
        }
        guard !stage.isEnding, intake.isOverdue(at: door.loop.now) else { return }
        if intake.isIdle {
            stage = .ending
            connection.tcp.close()
        } else {
            respond(Problem(status: 408, detail: "the request did not arrive in time"), closes: true)
        }
    }

    /// The server stops: an idle connection ends now, one with a request under way after its answer.
    func drain() {
        if stage.backup != nil { return connection.tcp.close() }
        if !stage.isAnswering { connection.tcp.closeAfterFlush(timeoutMilliseconds: 1000) }
    }
}

@available(*, unavailable)
extension HTTPConversation: Sendable {}
