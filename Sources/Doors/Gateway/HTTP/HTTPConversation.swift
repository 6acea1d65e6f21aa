import Authentication
import ClientProtocol
import Compression
import Configuration
import Crypto
import EventLoop
import Execution
import JSON
import ThreadMessages
import Model
import Quotas
import Services
import Store
import Synchronization
import Telemetry
import Wire

/// The HTTP side of a connection: one request at a time, answered in order.
///
/// - Confinement: loop
final class HTTPConversation {
    unowned let connection: ServerConnection
    /// The address that the connection comes from; a request's own header may say more.
    private let origin: IPAddress
    private var parser = HTTPRequestParser(limits: HTTPConversation.limits)
    private var events: [HTTPRequestEvent] = []
    private(set) var request: HTTPCall?
    private var commands: PostedCommands
    var pace: CommandPace
    /// Bytes of the request's head, and how many its body may have.
    private var headBytes = 0
    private var bodyBytesMax = 0
    /// The stream that is asked for without a token, while a reader checks whether it is open to anyone.
    var openEvents: EventsRequest?
    /// The copy of the database that the request asked for, while it is under way.
    private var backup: BackupStream?
    private var isAnswering = false
    var audit = RequestAudit()
    /// Whether the request is a write that bears its own row of the audit.
    var isWriting = false
    /// The address of the last request's client, and its text.
    private var shownClient: (address: IPAddress, text: String)?
    /// Whether the request only reads, so that its answer may be withheld.
    var isReading = false
    private var isEnding = false
    /// Whether the last request is answered and the parser waits for the next call.
    private var awaitsNextRequest = false
    private var isRunning = false
    /// By when the request must be whole, or the idle connection ends; the loop's clock.
    private var deadline: Int64

    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.bodyBytesMax = Limits.requestBodyBytesMax
        return limits
    }()

    init(_ connection: ServerConnection, from origin: IPAddress) {
        self.connection = connection
        self.origin = origin
        commands = PostedCommands(connection.door, for: connection.address)
        deadline = connection.door.loop.now + connection.door.settings.configuration.requestMilliseconds
        pace = CommandPace(at: connection.door.loop.now)
    }

    var door: LoopDoor { connection.door }

    func receive(_ bytes: RawSpan) {
        guard !isEnding else { return }
        if parser.isBetweenRequests { deadline = door.loop.now + door.settings.configuration.requestMilliseconds }
        parser.receive(bytes, into: &events)
        run()
    }

    /// Other connections had their turn: goes on with the requests that wait.
    func goOn() { run() }

    /// The socket takes more again: goes on with the requests that wait.
    func drained() {
        backup?.drained()
        run()
    }

    /// A copy of the database goes on.
    func received(_ news: BackupNews) {
        guard let backup else { return }
        if let note = audit.note, !audit.isWritten { return begin(news, note) }
        let step = backup.received(news)
        if case .goesOn = step { return }
        self.backup = nil
        switch step {
        case .goesOn: break
        case .refused(let refusal): respond(Problem(refusal))
        case .broken: connection.tcp.close()
        case .ended: responded(keepsAlive: backup.isChunked)
        }
    }

    /// The connection is gone.
    func ended() {
        dropCopy()
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
        while awaitsNextRequest, !connection.tcp.isCongested {
            guard left > 0 else { return connection.tcp.yieldTurn() }
            left -= 1
            awaitsNextRequest = false
            parser.nextRequest(into: &events)
            let isPartial = events.isEmpty && !parser.isBetweenRequests
            if isPartial { deadline = door.loop.now + door.settings.configuration.requestMilliseconds }
            handleEvents()
        }
        if !isAnswering, !isEnding, !awaitsNextRequest { connection.tcp.resumeReading() }
    }

    private func handleEvents() {
        let found = events
        events.removeAll(keepingCapacity: true)
        for event in found {
            switch event {
            case .head(let head): begin(head)
            case .body(let bytes): take(bytes)
            case .end:
                guard let request, !isEnding, audit.next == nil else { continue }
                beginAnswering()
                door.settings.metrics.requests.add(1)
                answer(request)
            case .violation(let status, let reason):
                guard !isEnding else { continue }
                respond(Problem(status: status, detail: reason), closes: true)
            }
        }
    }

    /// The request is being answered: nothing more is read meanwhile.
    func beginAnswering() {
        isAnswering = true
        deadline = .max
        connection.tcp.pauseReading()
    }

    /// A head is whole. A client that may not send a body of its size is refused before the body comes, and none of it is
    /// kept; a small body is taken from anybody, so that the connection can be kept.
    private func begin(_ head: HTTPRequestHead) {
        var call = HTTPCall(head: head)
        call.id = isGivenByProxy(head) ?? door.newRequestID()
        call.isAtFigures = connection.isAtFigures
        if Router.localPaths.contains(head.path) { call.isOfThisMachine = connection.isOfThisMachine(head) }
        request = call
        headBytes = head.heldBytes
        do throws(Refusal) {
            try connection.identify(head, from: origin)
            call.client = clientText
            request = call
            guard head.hasBody else { return }
            // No coding is undone here, and a body in one is not taken for what it is not (RFC 9110 section 15.5.16).
            let codings = head.headers.values("Content-Encoding")
            guard codings.allSatisfy({ $0.isEmpty || $0.lowercased() == "identity" }) else {
                return respond(Self.codedBody, closes: true)
            }
            let announced = head.contentLength ?? 0
            let isSmall = head.contentLength != nil && announced <= Limits.smallHoldingBytes
            bodyBytesMax = isSmall ? announced : try Router.bodyBytesMax(call, at: door)
            guard announced <= bodyBytesMax else { throw Self.tooLarge(bodyBytesMax) }
            guard connection.mayHold(headBytes + announced) else {
                door.settings.refused(.memory, connection.client)
                throw Refusal.overloaded
            }
            // No more than was announced, and no room for it before some of it is there.
            request?.body.reserveCapacity(min(announced, Limits.smallHoldingBytes))
            if head.expectsContinue { connection.tcp.write(HTTPResponse.continueBytes) }
        } catch {
            refuse(error, closes: head.hasBody)
        }
    }

    /// The id that a trusted proxy has given the request; nil for others.
    private func isGivenByProxy(_ head: HTTPRequestHead) -> String? {
        guard let id = HTTPCall.givenID(head), door.settings.peers.trustedProxies.contains(origin) else { return nil }
        return id
    }

    private var clientText: String {
        let address = connection.client
        if let shownClient, shownClient.address == address { return shownClient.text }
        let text = "\(address)"
        shownClient = (address, text)
        return text
    }

    /// A piece of the body.
    private func take(_ bytes: [UInt8]) {
        guard let count = request?.body.count, !isEnding, audit.next == nil else { return }
        guard count + bytes.count <= bodyBytesMax else {
            return respond(Problem(Self.tooLarge(bodyBytesMax)), closes: true)
        }
        request?.body += bytes
    }

    private static let codedBody: Problem = {
        var problem = Problem(status: 415, detail: "the body must have no content coding")
        problem.headers = ["Accept-Encoding": "identity"]
        return problem
    }()

    private static func tooLarge(_ bytesMax: Int) -> Refusal {
        Refusal(.tooLarge, "a body has at most \(bytesMax) bytes here")
    }

    /// Bytes kept for the client, without those that wait for the socket; a body has the room that it was given as it
    /// grew.
    var heldBytes: Int { parser.heldBytes + (request.map { headBytes + $0.body.capacity } ?? 0) }

    /// Too much is held: a request that is not whole is refused, one that is answered goes on.
    func overloaded() {
        guard !isEnding, !isAnswering else { return }
        respond(Problem(Refusal.overloaded), closes: true)
    }

    private func answer(_ request: HTTPCall) {
        do throws(Refusal) {
            try begin(try Router.task(of: request, at: door))
        } catch {
            refuse(error)
        }
    }

    /// Does what a request asks for.
    func perform(_ route: Route) throws(Refusal) {
        guard let request else { return }
        switch route {
        case .now(let response): complete(response)
        case .refused(let problem): respond(problem)
        case .effect(_, let run): complete(run())
        case .write(let useCase, let actor):
            let bytes = Limits.orderBytes + JSONValue.treeBytes(ofText: request.body)
            let kept = door.settings.isMember ? headBytes + request.body.count : 0
            try door.orders.submit(
                useCase, by: actor, for: connection.address, .request, bytes: bytes + kept, audit: audit.note,
                source: .request(HandedRequest(request)))
            isWriting = audit.note != nil
            audit.isWritten = isWriting
        case .read(let useCase, let actor), .content(let useCase, let actor):
            isReading = true
            door.orders.read(
                .useCase(useCase, actor, at: door.settings.clock.now(), .request), for: connection.address)
        case .openRead(let read): try begin(read)
        case .command(let command):
            follow(try commands.begin(command, at: &pace, from: connection.client))
        case .feedTrial(let feed, let secret):
            isReading = true
            door.settings.feeds?.mailbox.post(.tryOut(feed, secret, connection.address))
        case .pushTrial(let trial, _):
            isReading = true
            door.settings.mail.push?.post(.tryOut(trial, connection.address))
        case .backup(let claims):
            tellAction(200)
            copy(.database, for: claims, request)
        case .export(let export, let claims): copy(.user(export), for: claims, request)
        case .events(let events): try begin(events)
        case .upgrade(let subprotocols, let isEcho): try upgrade(request, subprotocols, isEcho: isEcho)
        }
    }

    private func copy(_ data: CopiedData, for claims: Claims, _ request: HTTPCall) {
        backup = BackupStream(
            data, claims, for: connection.address, on: connection.tcp, version: request.head.version,
            sharing: streamFields, from: door.settings.mail.backups)
    }

    /// The first news of an export: the audit gets its row before the client gets anything.
    private func begin(_ news: BackupNews, _ note: AuditNote) {
        guard case .refused(let refusal) = news else { return put(note, .done, then: .stream(news)) }
        backup = nil
        refuse(refusal)
    }

    /// Nothing of a copy is sent.
    func dropCopy() {
        backup?.end()
        backup = nil
    }

    /// Continues after a step of a command.
    private func follow(_ step: PostedCommands.Step?) {
        switch step {
        case .underWay(let isRead): isReading = isRead
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
        guard let request, isAnswering else { return }
        if ticket == .audit { return noted(outcome) }
        if ticket == .registration { return follow(commands.registered(outcome)) }
        switch outcome {
        case .success where openEvents != nil: beginOpenEvents()
        case .success(let answer):
            guard !isReading || door.memory.mayAnswer(answer.body.count) else {
                door.settings.refused(.memory, connection.client)
                return refuse(Refusal.overloaded)
            }
            let reply = commands.command.map { EncodedAnswer($0.reply(answer.body)) }
            complete(Router.response(to: request, reply ?? answer))
        case .failure(let refusal): refuse(refusal)
        }
    }

    func respond(_ problem: Problem, closes: Bool = false) {
        let id = request?.id ?? door.newRequestID()
        respond(problem.response(to: id), closes: closes, id: id)
    }

    func respond(_ plain: HTTPResponse, closes: Bool = false, id: String? = nil) {
        var response = plain
        response.headers.append(HTTPCall.idField, id ?? request?.id ?? door.newRequestID())
        if isShared { for field in sharing.fields { response.headers.append(field.name, field.value) } }
        let keepsAlive = !closes && !door.isDraining && request?.head.isKeepAlive == true
        let isHead = request?.head.method == "HEAD"
        tellAction(response.status)
        do {
            connection.tcp.write(try response.encoded(isKeepAlive: keepsAlive, isHead: isHead))
        } catch {
            door.settings.log.error("a response could not be encoded", ["error": "\(error)"])
            return connection.tcp.close()
        }
        responded(keepsAlive: keepsAlive)
    }

    /// The fields that the answer has for a page of another origin.
    private var sharing: HTTPHeaders {
        guard isShared, let request else { return [:] }
        return CrossOrigin(request, door.settings.configuration.origins).headers
    }

    /// The fields of the head of a stream.
    private var streamFields: HTTPHeaders {
        var fields = sharing
        if let id = request?.id { fields.append(HTTPCall.idField, id) }
        return fields
    }

    /// Whether there are pages of other origins that may read answers. Where there are none, no answer pays for them.
    private var isShared: Bool { !door.settings.configuration.origins.isEmpty }

    /// The answer is written: goes on with the next request, or ends.
    func responded(keepsAlive: Bool) {
        let keepsAlive = keepsAlive && !door.isDraining && request?.head.isKeepAlive == true
        request = nil
        commands.end()
        openEvents = nil
        isAnswering = false
        isReading = false
        isWriting = false
        audit = RequestAudit()
        connection.forget(origin)
        guard keepsAlive else {
            isEnding = true
            return connection.tcp.closeAfterFlush(timeoutMilliseconds: 2000)
        }
        deadline = door.loop.now + Limits.keepAliveMilliseconds
        awaitsNextRequest = true
        run()
    }

    private func upgrade(
        _ request: HTTPCall, _ subprotocols: WebSocketHandshake.Subprotocols, isEcho: Bool
    ) throws(Refusal) {
        let claims =
            try isEcho
            ? nil : request.bearerToken.map { token throws(Refusal) in try door.verify(token: token, openTo: []) }
        let upgrade: WebSocketUpgrade
        do {
            upgrade = try WebSocketUpgrade(
                request, subprotocols, isEcho: isEcho, door.settings, door.sessions.frames.streams)
        } catch {
            return respond(WebSocketUpgrade.refusal(for: error), closes: true)
        }
        connection.tcp.write(upgrade.answer)
        connection.tcp.resumeReading()
        let rest = parser.takeRemainder()
        if isEcho {
            connection.becomeEcho(Echo(connection.tcp, compression: upgrade.compression), rest: rest)
        } else {
            let session = ServerSession(connection, framing: .webSocket(upgrade.compression), headerClaims: claims)
            connection.becomeSession(session, rest: rest)
        }
    }

    /// From here on the connection is the body of one response, to which events are added as they come.
    func stream(_ events: EventsRequest, to version: HTTPVersion) {
        do throws(Refusal) {
            try connection.count(events.claims)
        } catch {
            connection.uncountUser()
            return respond(Problem(error))
        }
        do {
            connection.tcp.write(try HTTPResponse.eventStreamHead(headers: streamFields, version: version))
        } catch {
            return respond(Problem(status: 500, detail: "the stream could not begin"), closes: true)
        }
        connection.tcp.resumeReading()
        let stream = EventStream(epoch: door.settings.opened.epoch, isChunked: version == .http11)
        let session = ServerSession(connection, framing: .serverSentEvents(stream), headerClaims: nil)
        connection.becomeSession(session, rest: [])
        SessionOpening(session).begin(events.hello, events.claims, id: nil, watches: events.watches)
    }

    func eachSecond() {
        let isStalled = connection.tcp.stalledMilliseconds >= Limits.stalledMilliseconds
        if let backup, isStalled || !door.tokens.areGood(backup.claims) {
            return connection.tcp.close()
        }
        guard !isEnding, door.loop.now >= deadline else { return }
        if parser.isBetweenRequests, request == nil {
            isEnding = true
            connection.tcp.close()
        } else {
            respond(Problem(status: 408, detail: "the request did not arrive in time"), closes: true)
        }
    }

    /// The server stops: an idle connection ends now, one with a request under way after its answer.
    func drain() {
        if backup != nil { return connection.tcp.close() }
        if !isAnswering { connection.tcp.closeAfterFlush(timeoutMilliseconds: 1000) }
    }
}

@available(*, unavailable)
extension HTTPConversation: Sendable {}
