import Digits
import Testing
@testable import Wire

@Suite struct WebSocketHandshakeTests {
    private static let sound = [
        "Host: server.example.com", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
    ]

    private func head(_ lines: [String], startLine: String = "GET /v1/ws HTTP/1.1") throws -> HTTPRequestHead {
        let text = ([startLine] + lines).joined(separator: "\r\n") + "\r\n\r\n"
        return try #require(requestHead(requestEvents(text)), "\(requestEvents(text))")
    }

    private func check(
        _ lines: [String],
        subprotocols: WebSocketHandshake.Subprotocols = .oneOf(["watchwise.v1"])
    ) throws -> WebSocketHandshake.Acceptance {
        try WebSocketHandshake.check(head(lines), subprotocols: subprotocols)
    }

    /// The valid lines, with the one that begins like `line` replaced.
    private func replacing(_ name: String, by lines: [String]) -> [String] {
        Self.sound.filter { !$0.hasPrefix(name + ":") } + lines
    }

    private func refusalOf(_ lines: [String]) -> WebSocketHandshake.Refusal? {
        #expect(throws: WebSocketHandshake.Refusal.self) { try check(lines) }
    }

    @Test func `the example of RFC 6455 section 1-3 is answered with its accept value`() throws {
        let acceptance = try check(Self.sound)
        let answer = try WebSocketHandshake.answer(acceptance, sha1: sha1)
        let text = String(decoding: answer, as: UTF8.self)
        #expect(
            text == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        )
    }

    @Test(arguments: [
        ("Upgrade", "Upgrade: h2c, WebSocket"), ("Connection", "Connection: keep-alive, UPGRADE"),
        ("Sec-WebSocket-Key", "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="),
    ])
    func `lists and letter cases are read as the RFC says`(name: String, line: String) throws {
        _ = try check(replacing(name, by: [line]))
    }

    @Test(
        arguments: [
            ("Upgrade", [], 426), ("Upgrade", ["Upgrade: h2c"], 426), ("Connection", [], 400),
            ("Connection", ["Connection: close"], 400), ("Connection", ["Connection: xupgrade"], 400),
            ("Sec-WebSocket-Key", [], 400), ("Sec-WebSocket-Key", ["Sec-WebSocket-Key: c2hvcnQ="], 400),
            ("Sec-WebSocket-Key", ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ"], 400),
            ("Sec-WebSocket-Key", ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25!ZQ=="], 400),
            ("none", ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="], 400),
            ("none", ["Sec-WebSocket-Version: 13"], 400),
            ("Sec-WebSocket-Version", [], 426), ("Sec-WebSocket-Version", ["Sec-WebSocket-Version: 8"], 426),
            ("Sec-WebSocket-Version", ["Sec-WebSocket-Version: 13, 8"], 426), ("none", ["Content-Length: 3"], 400),
            ("none", ["Sec-WebSocket-Protocol: other"], 400), ("none", ["Sec-WebSocket-Protocol: a b"], 400),
            ("none", ["Sec-WebSocket-Protocol: watchwise.v1, watchwise.v1"], 400),
            ("none", ["Sec-WebSocket-Protocol:"], 400), ("none", ["Sec-WebSocket-Extensions: x; ="], 400),
        ] as [(String, [String], Int)]
    )
    func `a handshake that is not in order is refused`(name: String, lines: [String], status: Int) {
        #expect(refusalOf(replacing(name, by: lines))?.status == status)
    }

    @Test func `another method is refused with the one that is allowed`() throws {
        let post = try head(Self.sound, startLine: "POST /v1/ws HTTP/1.1")
        let refusal = #expect(throws: WebSocketHandshake.Refusal.self) {
            try WebSocketHandshake.check(post, subprotocols: .any)
        }
        #expect(refusal?.status == 405 && refusal?.headers["Allow"] == "GET")
    }

    @Test func `HTTP 1-0 is refused`() throws {
        let old = try head(Self.sound, startLine: "GET /v1/ws HTTP/1.0")
        let refusal = #expect(throws: WebSocketHandshake.Refusal.self) {
            try WebSocketHandshake.check(old, subprotocols: .any)
        }
        #expect(refusal?.status == 400)
    }

    @Test func `the answer to a refused version names the spoken version and the protocol to upgrade to`() throws {
        let refusal = try #require(refusalOf(replacing("Sec-WebSocket-Version", by: ["Sec-WebSocket-Version: 7"])))
        let response = HTTPResponse(status: refusal.status, headers: refusal.headers)
        let text = String(decoding: try response.encoded(isKeepAlive: false), as: UTF8.self)
        #expect(text.contains("\r\nSec-WebSocket-Version: 13\r\n") && text.contains("\r\nUpgrade: websocket\r\n"))
        #expect(text.contains("\r\nConnection: Upgrade, close\r\n"))
    }

    @Test(
        arguments: [
            ([], nil), (["Sec-WebSocket-Protocol: watchwise.v1"], "watchwise.v1"),
            (["Sec-WebSocket-Protocol: other, watchwise.v1"], "watchwise.v1"),
            (["Sec-WebSocket-Protocol: other", "Sec-WebSocket-Protocol: watchwise.v1"], "watchwise.v1"),
        ] as [([String], String?)]
    )
    func `the subprotocol is selected when offered and assumed when none is`(lines: [String], expected: String?) throws
    {
        #expect(try check(Self.sound + lines).subprotocol == expected)
    }

    @Test func `an endpoint of any subprotocol selects the first or none`() throws {
        #expect(try check(Self.sound, subprotocols: .any).subprotocol == nil)
        let lines = Self.sound + ["Sec-WebSocket-Protocol: chat, superchat"]
        #expect(try check(lines, subprotocols: .any).subprotocol == "chat")
    }

    @Test func `frames in the packet of the handshake are not lost`() throws {
        var parser = HTTPRequestParser()
        var events: [HTTPRequestEvent] = []
        let request = ("GET /v1/ws HTTP/1.1\r\n" + Self.sound.joined(separator: "\r\n") + "\r\n\r\n").utf8
        parser.receive(Array(request) + masked(.text, "early"), into: &events)
        parser.receive(masked(.ping, "late"), into: &events)
        #expect(events.count == 2 && events.last == .end)
        let remainder = parser.takeRemainder()
        #expect(webSocketEvents([remainder]) == [.text(Array("early".utf8)), .ping(Array("late".utf8))])
        #expect(parser.takeRemainder().isEmpty)
    }

    @Test func `the tests' SHA-1 is SHA-1`() {
        #expect(Base64.padded.text(of: sha1(Array("abc".utf8))) == "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=")
    }
}
