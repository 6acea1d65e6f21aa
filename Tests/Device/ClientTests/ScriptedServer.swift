import Client
import Crypto
import EventLoop
import JSON
import Testing
import Wire

/// A server on the test's own loop; the test decides what it does with each message and request.
final class ScriptedServer {
    /// One connection of the server.
    final class Peer {
        fileprivate(set) var connection: TCPConnection?
        fileprivate var parser = HTTPRequestParser()
        fileprivate var frames: WebSocketConnection?
        private unowned let server: ScriptedServer

        fileprivate init(_ server: ScriptedServer) {
            self.server = server
        }

        func send(_ message: JSONValue) {
            connection?.write(FrameEncoder.text(message.bytes))
        }

        func ping() {
            connection?.write(FrameEncoder.ping([1, 2, 3]))
        }

        func close(code: UInt16) {
            connection?.write(FrameEncoder.close(code: code))
            connection?.closeAfterFlush()
        }

        fileprivate func receiveRequests(_ bytes: RawSpan) throws {
            var events: [HTTPRequestEvent] = []
            parser.receive(bytes, into: &events)
            var head: HTTPRequestHead?
            for event in events {
                switch event {
                case .head(let found): head = found
                case .body: break
                case .end: if let head { try answer(head) }
                case .violation(_, let reason): Issue.record("bad request: \(reason)")
                }
            }
        }

        private func answer(_ head: HTTPRequestHead) throws {
            guard head.headers["Upgrade"] == nil else {
                let acceptance = try WebSocketHandshake.check(head, subprotocols: .oneOf(["watchwise.v1"]))
                connection?.write(try WebSocketHandshake.answer(acceptance, sha1: Digest.sha1))
                frames = WebSocketConnection(role: .server, messageBytesMax: 1 << 20)
                return
            }
            var next: [HTTPRequestEvent] = []
            parser.nextRequest(into: &next)
            guard let response = server.onRequest?(head, self) else { return }
            connection?.write(try response.encoded(isKeepAlive: true))
        }

        fileprivate func receiveFrames(_ bytes: RawSpan) throws {
            var events: [WebSocketEvent] = []
            frames?.receive(bytes, into: &events)
            for event in events {
                switch event {
                case .text(let text): server.onMessage?(try JSONValue(parsing: text), self)
                case .pong(let payload): server.pongs.append(payload)
                case .close(let code, _):
                    server.closes.append(code)
                    connection?.write(FrameEncoder.close(code: code))
                    connection?.closeAfterFlush()
                case .binary, .ping: Issue.record("unexpected \(event)")
                case .violation(let violation): Issue.record("violation: \(violation.reason)")
                }
            }
        }
    }

    var onMessage: ((JSONValue, Peer) -> Void)?
    var onRequest: ((HTTPRequestHead, Peer) -> HTTPResponse?)?
    private(set) var peers: [Peer] = []
    private(set) var pongs: [[UInt8]] = []
    private(set) var closes: [UInt16?] = []
    private var listener: TCPListener?

    init(on loop: Loop) throws {
        listener = try TCPListener(on: loop, address: SocketAddress("127.0.0.1:0")) { [unowned self] connection in
            let peer = Peer(self)
            peer.connection = connection
            connection.delegate = peer
            peers.append(peer)
        }
    }

    var address: ServerAddress {
        get throws { ServerAddress(try #require(listener).address) }
    }
}

extension ScriptedServer.Peer: TCPConnectionDelegate {
    func received(_ bytes: RawSpan, on connection: TCPConnection) {
        do {
            if frames == nil { try receiveRequests(bytes) } else { try receiveFrames(bytes) }
        } catch {
            Issue.record(error)
        }
    }

    func drained(on connection: TCPConnection) {}

    func closed(on connection: TCPConnection, error: UVError?) {
        self.connection = nil
    }
}

/// Runs a loop with a server until the test stops it, or ten seconds have passed.
func withServer(_ body: (Loop, ScriptedServer) throws -> AnyObject) throws {
    let loop = try Loop()
    let watchdog = LoopTimer(on: loop) { [unowned loop] in
        Issue.record("the loop was not stopped within ten seconds")
        loop.stop()
    }
    watchdog.start(afterMilliseconds: 10_000)
    let server = try ScriptedServer(on: loop)
    let kept = try body(loop, server)
    loop.run()
    withExtendedLifetime((watchdog, server, kept)) {}
}
