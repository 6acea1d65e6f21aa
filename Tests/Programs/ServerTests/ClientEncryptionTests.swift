import Client
import Configuration
import EventLoop
import JSON
import Server
import Session
import TestSupport
import Testing
import Wire

/// Our own client over TLS, against our own server: accepted and refused certificates, and the messages for them.
@Suite(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
struct ClientEncryptionTests {
    private let certificates: Certificates

    init() throws { certificates = try #require(Certificates.made) }

    private func server(_ name: String = "ec") throws -> TestServer {
        try TestServer {
            $0.hasEcho = true
            $0.tlsCertificate = certificates.certificate(name)
            $0.tlsKey = certificates.key(name)
        }
    }

    private func address(_ server: TestServer, host: String = "localhost", scheme: String = "https") throws
        -> ServerAddress
    {
        try ServerAddress("\(scheme)://\(host):\(server.port)", authorities: certificates.authority)
    }

    private func failure(_ server: ServerAddress) -> String {
        do {
            return "answered with \(try HTTPClient(server: server).perform(Self.health).status)"
        } catch {
            return error.description
        }
    }

    private static let health = HTTPRequest(method: "GET", target: "/healthz", headers: [:], body: [])

    @Test(arguments: ["ec", "rsa", "ed25519"], ["localhost", "127.0.0.1"])
    func `a host that the certificate names answers requests`(kind: String, host: String) throws {
        let server = try server(kind)
        defer { server.application.stop() }
        let client = HTTPClient(server: try address(server, host: host))
        #expect("\(client.server)" == "https://\(host):\(server.port)")
        #expect(try client.perform(Self.health).body == Array("ok\n".utf8))
    }

    @Test func `messages of every size pass a WebSocket, and the next connection resumes the session`() throws {
        let server = try server()
        defer { server.application.stop() }
        let messages = [0, 1, 125, 16_384, 70_000, 5_000_000, 3].map { [UInt8](repeating: 0x61, count: $0) }
        let address = try address(server, scheme: "wss")
        for _ in 0..<2 {
            let loop = try Loop()
            let echo = EncryptedEcho(loop, messages: messages)
            _ = try WebSocketClient.connect(
                on: loop, to: WebSocketClient.Endpoint(server: address, target: "/v1/echo"), delegate: echo)
            loop.run()
            #expect(echo.received == messages)
            #expect(echo.end == .closed(code: 1000, reason: ""))
        }
        let page = try HTTPClient(server: address).perform(
            HTTPRequest(method: "GET", target: "/metrics", headers: [:], body: []))
        let metrics = String(decoding: page.body, as: UTF8.self)
        #expect(metrics.contains("watchwise_tls_handshakes_total 3\n"))
        #expect(metrics.contains("watchwise_tls_resumptions_total 2\n"))
    }

    @Test(arguments: [
        ("expired", "localhost", "certificate has expired. It must be renewed"),
        ("stranger", "localhost", "self-signed certificate. If its issuer is one of your own"),
        ("ec", "127.0.0.2", "IP address mismatch. It is not made out to '127.0.0.2'"),
    ])
    func `a wrong certificate is refused, and the error says what to do`(kind: String, host: String, said: String)
        throws
    {
        let server = try TestServer {
            $0.listen = ["\(host == "localhost" ? "127.0.0.1" : host):0"]
            $0.tlsCertificate = certificates.certificate(kind)
            $0.tlsKey = certificates.key(kind)
        }
        defer { server.application.stop() }
        #expect(failure(try address(server, host: host)).contains(said))
    }

    @Test func `the system does not know who made the certificate`() throws {
        let server = try server()
        defer { server.application.stop() }
        let client = try ServerAddress("https://localhost:\(server.port)")
        #expect(failure(client).contains("--ca FILE or WATCHWISE_CA"))
    }

    @Test func `a client says whether TLS is missing on the server, or on its own side`() throws {
        let plain = try TestServer.shared.get()
        #expect(failure(try address(plain)) == "the server does not speak TLS there: use http://")
        let encrypted = try server()
        defer { encrypted.application.stop() }
        #expect(failure(try address(encrypted, scheme: "http")).contains("ended the connection without an answer"))
    }

    @Test func `a file without authorities is named`() throws {
        #expect(throws: ServerAddressError.self) {
            try ServerAddress("https://localhost", authorities: certificates.key("ec"))
        }
        do {
            _ = try ServerAddress("https://localhost", authorities: "/nowhere/ca.pem")
            Issue.record("it was taken")
        } catch {
            #expect(error.description.contains("/nowhere/ca.pem"))
        }
    }
}

/// Sends messages and receives them back.
/// - Confinement: loop
private final class EncryptedEcho: WebSocketClientDelegate {
    private let messages: [[UInt8]]
    private(set) var received: [[UInt8]] = []
    private(set) var end: TransportEnd?
    private let loop: Loop

    init(_ loop: Loop, messages: [[UInt8]]) {
        self.loop = loop
        self.messages = messages
    }

    func opened(_ socket: WebSocketClient) {
        for message in messages { socket.send(text: message) }
    }

    func received(text: [UInt8], on socket: WebSocketClient) {
        received.append(text)
        if received.count == messages.count { socket.close() }
    }

    func ended(_ socket: WebSocketClient, _ end: TransportEnd) {
        self.end = end
        loop.stop()
    }
}

@available(*, unavailable)
extension EncryptedEcho: Sendable {}
