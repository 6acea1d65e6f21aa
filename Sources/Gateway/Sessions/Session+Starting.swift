import Authentication
import ClientProtocol
import Configuration
import EventLoop
import Fanout
import Mail
import Model
import Peers
import Services
import Store

// From `hello` to `live`. The way to "live" has no gap and no repeat: the log is read, on one snapshot, up to its head
// H; what was committed behind H meanwhile is held in the loop's recent commits, and is applied to this session alone
// before the next commit is delivered to all.
extension Session {
    /// `hello`: the first one begins the session, a later one renews its token.
    func greet(_ hello: HelloCommand, _ id: RequestID?) {
        let claims: Claims
        do {
            claims = try verify(hello)
            if case .waitingForHello = state { try connection.count(claims) }
        } catch {
            refuse(id, error)
            if error.code.errorClass == .auth { helloFailed() }
            return
        }
        switch state {
        case .waitingForHello:
            begin(hello, claims, id: id)
        case .starting(let greeting):
            refuse(id, Refusal(.conflict, "hello \(greeting.id?.description ?? "") has no answer yet; wait for it"))
        case .ready(let identity):
            renew(claims, identity, id)
        case .closing:
            break
        }
    }

    /// A client that goes on trying tokens is guessing them.
    private func helloFailed() {
        guard case .waitingForHello = state else { return }
        failedHellos += 1
        guard Int(failedHellos) >= Limits.failedHellosMax else { return }
        server.refused(.flooding, connection.client)
        close(.unauthenticated)
    }

    /// Begins the session of a user whose token was checked, or of who may do without one.
    ///
    /// - Parameter watches: what a stream of Server-Sent Events watches.
    func begin(
        _ hello: HelloCommand, _ claims: Claims?, id: RequestID?, watches: [WatchedPath] = []
    ) {
        state = .starting(Greeting(id: id, claims: claims, hello: hello, watches: watches))
        server.askToStart(self)
    }

    /// It is this session's turn.
    func beginStart() {
        startStage = .inWork
        startReading()
    }

    /// The session is live, waits for its socket, or is gone: what it held of the way there is another's.
    func leaveStart() {
        let stage = startStage
        startStage = .none
        switch stage {
        case .none: break
        case .waiting: server.leftQueue(address)
        case .inWork: server.startEnded()
        }
    }

    private func verify(_ hello: HelloCommand) throws(Refusal) -> Claims {
        if let token = hello.token {
            return try server.verify(token: token)
        }
        guard let headerClaims else {
            throw Refusal(.unauthenticated, "a token is required, here or in the Authorization header", field: "token")
        }
        // It may have been revoked since the upgrade.
        try server.check(headerClaims)
        return headerClaims
    }

    private func renew(_ claims: Claims, _ identity: SessionIdentity, _ id: RequestID?) {
        guard let name = identity.person?.name, claims.subject == name else {
            let owner = identity.person?.name.text ?? "nobody"
            return refuse(id, Refusal(.forbidden, "this connection belongs to \(owner)", field: "token"))
        }
        rest(on: claims)
        identity.setRoles(claims.roles)
        expiry.renewed()
        answerRenewal(id, identity)
    }

    private func startReading() {
        guard case .starting(let greeting) = state else { return }
        guard let claims = greeting.claims else { return startOpen(greeting) }
        server.read(
            .start(claims.subject, since: greeting.hello.since, deviceLanguage: greeting.hello.locale),
            for: address, connection.pacedAccount)
    }

    /// The user is made known, if he was not: read again.
    func registered(_ outcome: Outcome) {
        guard case .starting(let greeting) = state else { return }
        switch outcome {
        case .success: startReading()
        case .failure(let refusal):
            if framing.isOneWay { return close(.overloaded) }
            refuse(greeting.id, refusal)
            leaveStart()
            state = .waitingForHello(deadline: server.loop.now + server.settings.configuration.helloMilliseconds)
        }
    }

    private func register(_ greeting: Greeting, _ claims: Claims, ticket: Ticket) {
        do {
            let useCase = RegisterUser(claims.subject, deviceLanguage: greeting.hello.locale)
            try server.submit(useCase, by: .server, for: address, ticket, connection.pacedAccount)
        } catch {
            registered(.failure(error))
        }
    }

    /// The database was read for the first time.
    func started(_ reading: SessionReading?) {
        guard case .starting(let greeting) = state, let claims = greeting.claims else { return }
        guard let reading else { return register(greeting, claims, ticket: .registration) }
        let user = reading.start.user
        if let locale = greeting.hello.locale, locale != user.deviceLanguage {
            register(greeting, claims, ticket: .none)
        }
        rest(on: claims)
        let since = greeting.hello.since?.seq
        let isResuming = reading.page != nil
        // The claims' text of the name, which others hold too.
        let person = Person(id: user.id, name: claims.subject)
        let identity = SessionIdentity(
            person: person, on: tcp, isPlain: framing.isPlain,
            device: greeting.hello.device ?? Self.newDeviceName(), deviceLanguage: greeting.hello.locale,
            storedDeviceLanguage: user.deviceLanguage,
            chosenLanguage: user.language, preferences: user.preferences,
            cursor: DeliveryCursor(position: isResuming ? since ?? reading.start.head : reading.start.head),
            counts: CountsTold(reading.start.counts, asOf: reading.start.head))
        identity.setRoles(claims.roles)
        state = .ready(identity)
        server.attach(identity, of: person, to: address.slot, streams: reading.start.streams)
        connection.pacedAccount?.charge(reading.start.streams.count / Limits.followsPerWeight, at: server.loop.now)
        connection.settle()
        server.arrived(person)
        // A name that was given a moment ago is nobody else's.
        if greeting.hello.device != nil, let claim { server.claim(claim) }
        guard !isClosing else { return }
        answer(greeting.id) { helloBody(user.name, identity, head: reading.start.head).write(to: &$0) }
        // Where no hello is answered the counts stand in no answer.
        if framing.isOneWay { send(Event.unread(identity.counts.current)) }
        readOn(reading)
        // A token that is nearly over says so now, rather than at the next second, which it may not live to see.
        checkExpiry()
        if !greeting.watches.isEmpty { identity.watches.ask(greeting.watches) }
        queueAskedWatch()
        // What the client sent behind its hello has waited for this.
        runQueue()
    }

    /// A name for a device that has none, to be said in later hellos.
    private static func newDeviceName() -> String {
        "d-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
    }

    /// What the session says of its device when it has begun.
    var claim: DeviceClaim? {
        guard let identity, let person = identity.person else { return nil }
        let key = DeviceKey(user: person.id, device: identity.device)
        return DeviceClaim(device: key, address: address, number: claimNumber)
    }

    /// Writes a page of the log with the answers that stand between its events, and goes on until the end.
    func tell(_ reading: SessionReading, _ identity: SessionIdentity) {
        guard identity.watches.isPageAllowed else { return readPage() }
        if let reason = reading.reset {
            send(Event.reset(reason))
            endWatchesUntold(identity)
            identity.awaitsLive = true
            identity.cursor.skip(to: reading.start.head)
        }
        if let page = reading.page {
            for (position, json) in page.events where position > identity.cursor.position {
                // The rest of a page of large events would pass the bound; it is read again when the socket drains.
                guard identity.cursor.wrotePage(queuedBytes: queuedBytes) else { return leaveStart() }
                answerWrites(before: position, identity)
                send(json, at: position)
                identity.cursor.advance(to: position)
            }
            guard !page.hasMore else {
                return identity.cursor.wrotePage(queuedBytes: queuedBytes) ? readPage() : leaveStart()
            }
        }
        let head = reading.page?.upTo ?? reading.start.head
        guard let missed = server.recent.after(head) else { return readPage(after: head) }
        becomeLive(identity, at: head, reading, missed)
    }

    private func becomeLive(
        _ identity: SessionIdentity, at head: Position, _ reading: SessionReading,
        _ missed: RecentCommits<KeptStep>.Commits
    ) {
        answerWrites(before: head.next, identity)
        identity.cursor.becomeLive(at: head)
        leaveStart()
        if identity.awaitsLive { send(Event.live(seq: head), at: head) }
        identity.awaitsLive = false
        setCounts(reading.start.counts, asOf: head)
        // As of the snapshot: what has changed since changes again where it did among the commits behind it.
        identity.setChosenLanguage(reading.start.user.language)
        identity.setPreferences(reading.start.user.preferences)
        catchUp(missed, streams: reading.start.streams, head: head)
        answerWrites(before: identity.cursor.mode == .live ? server.deliveredUpTo.next : .zero, identity)
        answerWatch()
    }

    /// Applies what this loop has already delivered to others behind the snapshot's head.
    private func catchUp(
        _ missed: RecentCommits<KeptStep>.Commits, streams: [StreamID], head: Position
    ) {
        guard let identity, let user = identity.person?.id else { return }
        var subscribed = Set(streams + [user, .everyone])
        for commit in missed {
            for step in commit.steps {
                switch step {
                case .publication(let framed):
                    let publication = framed.publication
                    guard publication.position > head else { continue }
                    // A change of a document is for those who watch it: `deliver` knows.
                    if publication.document != nil || publication.lies(in: subscribed) {
                        if identity.cursor.mode == .live { answerWrites(before: publication.position, identity) }
                        _ = deliver(framed)
                    }
                case .change(.subscription(user, let stream, let isOn)):
                    if isOn { subscribed.insert(stream) } else { subscribed.remove(stream) }
                case .change(.unread(user, let counts, let position)): setCounts(counts, asOf: position)
                case .change(.language(user, let language)): setChosenLanguage(language)
                case .change(.preferences(user, let stored, _)): identity.setPreferences(stored)
                case .change(.digestBegins(user, let position)): identity.digestFirst = position
                case .change: break
                }
            }
        }
        subscribed.remove(user)
        subscribed.remove(.everyone)
        server.hub.replaceStreams(of: address.slot, with: Array(subscribed))
    }

    /// Asks for the next page of the log.
    func readPage(after position: Position? = nil) {
        guard let identity else { return }
        // The log is read for users alone: who showed no token and was too slow comes back.
        guard let person = identity.person else { return close(.stalled) }
        identity.watches.askedForPage()
        server.read(
            .page(
                person.id, after: position ?? identity.cursor.position,
                deviceLanguage: identity.deviceLanguage, watched: identity.watches.streams),
            for: address, connection.pacedAccount)
    }

    func helloBody(_ user: UserID, _ identity: SessionIdentity, head: Position? = nil) -> HelloBody {
        HelloBody(
            user: user, device: identity.device, epoch: server.settings.opened.epoch,
            seq: head ?? lookedThrough(identity),
            heartbeatMilliseconds: server.settings.configuration.heartbeatMilliseconds,
            unread: identity.counts.current, server: ServerConfiguration.serverName)
    }
}
