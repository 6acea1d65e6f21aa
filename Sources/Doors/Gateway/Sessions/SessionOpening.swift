import Admin
import Authentication
import ClientProtocol
import Configuration
import EventLoop
import Execution
import Fanout
import Model
import Quotas
import Services
import Store
import Telemetry
import ThreadMessages

/// The start of a session: from `hello` until its user is read from the database, and the renewal of its token.
///
/// - Confinement: loop
struct SessionOpening {
    private let session: ServerSession
    private var door: SessionDoor { session.door }

    init(_ session: ServerSession) { self.session = session }

    /// `hello`: the first one begins the session, a later one renews its token.
    func greet(_ hello: HelloCommand, _ id: RequestID?) {
        let claims: Claims
        do {
            claims = try verify(hello)
            if case .waitingForHello = session.state { try session.connection.count(claims) }
        } catch {
            session.refuse(id, error)
            if error.code.errorClass == .auth { helloFailed() }
            return
        }
        switch session.state {
        case .waitingForHello:
            begin(hello, claims, id: id)
        case .starting(let greeting):
            let earlier = greeting.id?.description ?? ""
            session.refuse(id, Refusal(.conflict, "hello \(earlier) has no answer yet; wait for it"))
        case .ready(let identity):
            renew(claims, identity, id)
        case .closing:
            break
        }
    }

    /// A client that goes on trying tokens is guessing them.
    private func helloFailed() {
        guard case .waitingForHello = session.state else { return }
        session.failedHellos += 1
        guard Int(session.failedHellos) >= Limits.failedHellosMax else { return }
        door.settings.refused(.flooding, session.client)
        session.close(.unauthenticated)
    }

    private func verify(_ hello: HelloCommand) throws(Refusal) -> Claims {
        let claims = try claims(of: hello)
        try claims.checkUser()
        return claims
    }

    private func claims(of hello: HelloCommand) throws(Refusal) -> Claims {
        if let token = hello.token { return try door.tokens.verify(token: token, from: "\(session.client)") }
        guard let headerClaims = session.headerClaims else {
            throw Refusal(.unauthenticated, "a token is required, here or in the Authorization header", field: "token")
        }
        // It may have been revoked since the upgrade.
        try door.tokens.check(headerClaims)
        return headerClaims
    }

    private func renew(_ claims: Claims, _ identity: SessionIdentity, _ id: RequestID?) {
        guard let name = identity.person?.name, claims.subject == name else {
            let owner = identity.person?.name.text ?? "nobody"
            return session.refuse(id, Refusal(.forbidden, "this connection belongs to \(owner)", field: "token"))
        }
        session.token.rest(on: claims)
        identity.setRoles(claims.roles)
        SessionDelivery(session, identity).answerRenewal(id)
    }

    // MARK: The turn

    /// Begins the session of a user whose token was checked, or of a client that may do without one.
    ///
    /// - Parameter watches: what a stream of Server-Sent Events watches.
    func begin(_ hello: HelloCommand, _ claims: Claims?, id: RequestID?, watches: [WatchedPath] = []) {
        session.state = .starting(SessionState.Greeting(id: id, claims: claims, hello: hello, watches: watches))
        guard door.sessionRefusal == nil else { return session.close(.overloaded) }
        if door.heads?.wait(session.address, for: hello.position) == true {
            session.startStage = .waitingForHead
        } else {
            askForTurn()
        }
    }

    /// The node is where the client has been, or has not come there in time; then the client gets `reset`.
    func headCame(inTime: Bool) {
        // A node that lacks entries cannot say that the position is of another history.
        guard inTime || door.knowsAllEntries else { return session.close(.overloaded) }
        defer { session.watching?.headCame() }
        guard session.startStage == .waitingForHead else { return }
        session.startStage = .none
        askForTurn()
    }

    private func askForTurn() {
        switch door.starts.ask(session.address) {
        case .begin: beginStart()
        case .wait: session.startStage = .waiting
        case .turnAway(let delay): session.close(.overloaded, reason: nil, reconnectInMilliseconds: delay)
        }
    }

    /// It is this session's turn.
    func beginStart() {
        session.startStage = .inWork
        read()
    }

    private func read() {
        guard case .starting(let greeting) = session.state else { return }
        guard let claims = greeting.claims else { return startWithoutUser(greeting) }
        door.orders.read(
            .start(
                claims.subject, since: greeting.hello.since, device: greeting.hello.device,
                deviceLanguage: greeting.hello.locale),
            for: session.address, session.account)
    }

    // MARK: The user

    private func register(_ greeting: SessionState.Greeting, _ claims: Claims, ticket: Ticket) {
        do {
            let useCase = RegisterUser(claims.subject, deviceLanguage: greeting.hello.locale)
            try door.orders.submit(
                useCase, by: .server, for: session.address, ticket, session.account,
                source: .registration(claims.subject, deviceLanguage: greeting.hello.locale))
        } catch {
            registered(.failure(error))
        }
    }

    /// A user that was not known is known now: reads again.
    func registered(_ outcome: Outcome) {
        guard case .starting(let greeting) = session.state else { return }
        switch outcome {
        case .success: door.settings.isMember ? askForTurn() : read()
        case .failure(let refusal):
            if session.framing.isOneWay { return session.close(.overloaded) }
            session.refuse(greeting.id, refusal)
            session.leaveStart()
            let wait = door.settings.configuration.helloMilliseconds
            session.state = .waitingForHello(deadline: door.loop.now + wait)
        }
    }

    /// The database was read for the first time; nil when the user is not known yet.
    func started(_ reading: SessionReading?) {
        guard case .starting(let greeting) = session.state, let claims = greeting.claims else { return }
        guard let reading else {
            // While nobody leads, that takes seconds: others begin meanwhile.
            if door.settings.isMember { session.leaveStart() }
            return register(greeting, claims, ticket: .registration)
        }
        let start = reading.start
        if let locale = greeting.hello.locale, locale != start.user.deviceLanguage {
            register(greeting, claims, ticket: .none)
        }
        noteUse(greeting.hello, start)
        session.token.rest(on: claims)
        // The claims' text of the name, which others hold too.
        let person = Person(id: start.user.id, name: claims.subject)
        let identity = identity(of: person, greeting.hello, reading)
        identity.setRoles(claims.roles)
        session.state = .ready(identity)
        door.receivers.attach(identity, of: person, to: session.address.slot, streams: start.streams)
        session.account?.charge(start.streams.count / Limits.followsPerWeight, at: door.loop.now)
        session.connection.settle()
        door.presence.arrived(person)
        // A name that was given a moment ago is nobody else's.
        if greeting.hello.device != nil, let claim = session.claim { door.devices.add(claim) }
        guard !session.isClosing else { return }
        SessionDelivery(session, identity).answerHello(greeting.id, of: start.user.name, head: start.head)
        // Where no hello is answered, no answer contains the counts.
        if session.framing.isOneWay { session.send(Event.unread(identity.counts.current)) }
        session.readOn(reading)
        // A token that ends soon says so now, rather than at the next second: it may end before that.
        session.checkExpiry()
        if !greeting.watches.isEmpty { identity.watches.ask(greeting.watches) }
        session.watching?.queueAsked()
        // The commands after the client's hello have waited for this.
        SessionCommands(session).runQueue()
    }

    /// A registered device came back: a day after its last use, or with another language, that is noted.
    private func noteUse(_ hello: HelloCommand, _ start: SessionStart) {
        guard let device = hello.device, start.isUseOutdated(by: hello.locale, at: door.settings.clock.now()) else {
            return
        }
        do {
            let useCase = NoteDeviceUse(device, of: start.user.id, language: hello.locale)
            try door.orders.submit(
                useCase, by: .server, for: session.address, .none, session.account,
                source: .deviceUse(device, of: start.user.id, language: hello.locale))
        } catch {
            door.settings.log.debug(
                "the next hello notes that a device was used", ["session": session.id, "error": "\(error)"])
        }
    }

    private func identity(of person: Person, _ hello: HelloCommand, _ reading: SessionReading) -> SessionIdentity {
        let (user, head) = (reading.start.user, reading.start.head)
        let position = reading.page == nil ? head : hello.since?.seq ?? head
        return SessionIdentity(
            person: person, on: session.tcp, isPlain: session.framing.isPlain,
            device: hello.device ?? Self.newDeviceName(), deviceLanguage: hello.locale,
            storedDeviceLanguage: user.deviceLanguage, chosenLanguage: user.language, preferences: user.preferences,
            cursor: DeliveryCursor(position: position), counts: CountsSent(reading.start.counts, asOf: head))
    }

    /// A name for a device that has none, to be said in later hellos.
    private static func newDeviceName() -> String {
        "d-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
    }

    // MARK: Without a user

    // A stream without a token is a session without a user: it has no inbox and no follows, so the hub does not know it, nor
    // do presence, devices and what counts users. It is sent what it watches, document by document as the rules open them to
    // anyone, and nothing else. It reads no log: a client that was too slow, or comes back, says from where on
    // (`Last-Event-ID`), and is sent what has changed in the watched documents since. A watch that cannot begin ends the
    // stream before it gave an id.

    /// Begins such a session. It is live from the loop's own position on, and asks for its watches one by one.
    private func startWithoutUser(_ greeting: SessionState.Greeting) {
        let head = door.log.head
        var cursor = DeliveryCursor(position: head)
        cursor.becomeLive(at: head)
        let none = UnreadCounts(chats: 0, notifications: 0)
        let identity = SessionIdentity(
            person: nil, on: session.tcp, isPlain: false, device: "", deviceLanguage: nil, storedDeviceLanguage: nil,
            chosenLanguage: nil, preferences: nil, cursor: cursor, counts: CountsSent(none, asOf: head))
        session.state = .ready(identity)
        session.token.restOnNothing()
        session.leaveStart()
        identity.watches.ask(greeting.watches, since: greeting.hello.since)
        session.watching?.queueAsked()
        SessionCommands(session).runQueue()
        session.connection.settle()
    }
}
