import ClientProtocol
import EventLoop
import Fanout
import Model
import Wire

/// One TCP peer: an HTTP client at first, a WebSocket session or an echo when it has upgraded.
///
/// - Confinement: loop
final class ServerConnection: TCPConnectionDelegate {
    let address: ConnectionAddress
    let tcp: TCPConnection
    unowned let server: LoopServer
    private var role: Role

    private enum Role {
        case http(HTTPConversation)
        case session(Session)
        case echo(Echo)
        case closed
    }

    init(_ tcp: TCPConnection, at address: ConnectionAddress, on server: LoopServer) {
        self.tcp = tcp
        self.address = address
        self.server = server
        role = .closed
        role = .http(HTTPConversation(self))
    }

    /// The session, once the client has upgraded.
    var session: Session? {
        if case .session(let session) = role { session } else { nil }
    }

    func received(_ bytes: RawSpan, on connection: TCPConnection) {
        switch role {
        case .http(let conversation): conversation.receive(bytes)
        case .session(let session): session.receive(bytes)
        case .echo(let echo): echo.receive(bytes)
        case .closed: break
        }
    }

    func drained(on connection: TCPConnection) {
        switch role {
        case .session(let session): session.drained()
        case .http(let conversation): conversation.drained()
        case .echo: tcp.resumeReading()
        case .closed: break
        }
    }

    func closed(on connection: TCPConnection, error: UVError?) {
        switch role {
        case .session(let session): session.ended()
        case .http(let conversation): conversation.ended()
        case .echo, .closed: break
        }
        role = .closed
        server.removed(self)
    }

    /// What was asked of the writer or a reader is answered.
    func answered(_ ticket: Ticket, _ outcome: Outcome) {
        switch role {
        case .http(let conversation): conversation.answered(ticket, outcome)
        case .session(let session): session.answered(ticket, outcome)
        case .echo, .closed: break
        }
    }

    /// The user of a session that begins, or of a command, was read; nil when he is not known yet.
    func started(_ reading: SessionReading?) {
        switch role {
        case .http(let conversation): conversation.started(reading)
        case .session(let session): session.started(reading)
        case .echo, .closed: break
        }
    }

    /// A copy of the database goes on.
    func received(_ news: BackupNews) {
        if case .http(let conversation) = role { conversation.received(news) }
    }

    /// What a session, or a command, needs could not be read.
    func readingFailed() {
        switch role {
        case .http(let conversation):
            conversation.answered(.request, .failure(Refusal(.internal, "the server failed on this; try again")))
        case .session(let session): session.close(.serverError)
        case .echo, .closed: break
        }
    }

    func eachSecond() {
        switch role {
        case .http(let conversation): conversation.eachSecond()
        case .session(let session): session.eachSecond()
        case .echo, .closed: break
        }
    }

    /// The server stops.
    func drain() {
        switch role {
        case .http(let conversation): conversation.drain()
        case .session(let session): session.drain()
        case .echo: tcp.closeAfterFlush(timeoutMilliseconds: Limits.drainMilliseconds)
        case .closed: break
        }
    }

    /// From here on the connection speaks the contract; `rest` came behind the request's head.
    func becomeSession(_ session: Session, rest: [UInt8]) {
        role = .session(session)
        rest.withRawSpan { session.receive($0) }
    }

    /// From here on the connection sends back what it gets.
    func becomeEcho(_ echo: Echo, rest: [UInt8]) {
        role = .echo(echo)
        rest.withRawSpan { echo.receive($0) }
    }
}

@available(*, unavailable)
extension ServerConnection: Sendable {}
