import Admin
import Authentication
import ClientProtocol
import Configuration
import EventLoop
import Model
import ThreadMessages
import Wire

/// The end of HTTP on a connection: from here on it is a session, or an echo.
///
/// - Confinement: loop
struct ProtocolSwitch {
    let connection: ServerConnection
    private var door: LoopDoor { connection.door }

    /// The connection becomes a WebSocket.
    ///
    /// - Parameters:
    ///   - rest: gives the bytes that came after the request.
    /// - Returns: the answer to a request that is no handshake.
    /// - Throws: `Refusal` of the class `auth`.
    func webSocket(
        _ request: HTTPCall, _ subprotocols: WebSocketHandshake.Subprotocols, isEcho: Bool, rest: () -> [UInt8]
    ) throws(Refusal) -> Problem? {
        let claims =
            try isEcho
            ? nil
            : request.bearerToken.map { token throws(Refusal) in
                try door.verify(token: token, openTo: [], from: request.client)
            }
        let upgrade: WebSocketUpgrade
        do {
            upgrade = try WebSocketUpgrade(
                request, subprotocols, isEcho: isEcho, date: door.dateText, door.settings, door.sessions.frames.streams)
        } catch {
            return WebSocketUpgrade.refusal(for: error)
        }
        connection.tcp.write(upgrade.answer)
        connection.tcp.resumeReading()
        if isEcho {
            connection.becomeEcho(Echo(connection.tcp, compression: upgrade.compression), rest: rest())
        } else {
            let session = ServerSession(connection, framing: .webSocket(upgrade.compression), headerClaims: claims)
            connection.becomeSession(session, rest: rest())
        }
        return nil
    }

    /// The connection is the body of one response, to which events are added as they come.
    ///
    /// - Returns: the answer where no stream can begin, and whether the connection ends with it.
    func eventStream(
        _ events: EventsRequest, to request: HTTPCall
    ) -> (problem: Problem, closes: Bool)? {
        do throws(Refusal) {
            try connection.count(events.claims)
        } catch {
            connection.uncountUser()
            return (Problem(error), closes: false)
        }
        let version = request.head.version
        do {
            let fields = request.streamFields(for: door.settings.configuration.origins, date: door.dateText)
            connection.tcp.write(try HTTPResponse.eventStreamHead(headers: fields, version: version))
        } catch {
            return (Problem(status: 500, detail: "the stream could not begin"), closes: true)
        }
        connection.tcp.resumeReading()
        let stream = EventStream(epoch: door.settings.opened.epoch, isChunked: version == .http11)
        let session = ServerSession(connection, framing: .serverSentEvents(stream), headerClaims: nil)
        connection.becomeSession(session, rest: [])
        SessionOpening(session).begin(events.hello, events.claims, id: nil, watches: events.watches)
        return nil
    }
}
