import Configuration
import JSON
import TestSupport
import Testing

/// The upgrade to a WebSocket, and the echo, on the socket of a loop.
struct UpgradeTests {
    private static let server = Result { try LoopRig() }
    let server: LoopRig

    init() throws { server = try Self.server.get() }

    @Test func `the subprotocol is selected when offered and not named when it was not`() throws {
        let offered = try WebSocketPeer(
            port: server.port,
            headers: [("Sec-WebSocket-Protocol", "other, watchwise.v1")]
        )
        #expect(offered.answerHeaders["sec-websocket-protocol"] == "watchwise.v1")
        let none = try WebSocketPeer(port: server.port)
        #expect(none.answerHeaders["sec-websocket-protocol"] == nil)
        #expect(none.answerHeaders["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(arguments: [
        ("watchwise.v2", 400), ("", 400),
    ])
    func `another subprotocol alone is refused`(_ name: String, _ status: Int) throws {
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send(WebSocketPeer.upgrade("/v1/ws", [("Sec-WebSocket-Protocol", name)]))
        let answer = try peer.answer()
        #expect(answer.status == status)
        #expect(answer.headers["content-type"] == "application/problem+json")
    }

    @Test(arguments: [
        ("GET /v1/ws HTTP/1.1\r\nHost: a\r\n\r\n", 426),
        ("POST /v1/ws HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 405),
        (
            "GET /v1/ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", 426
        ),
        (
            "GET /v1/ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: short\r\n\r\n", 400
        ),
    ])
    func `a request that is not a handshake is refused with its status`(_ request: String, _ status: Int) throws {
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send(request)
        let answer = try peer.answer()
        #expect(answer.status == status)
        #expect(status != 426 || answer.headers["sec-websocket-version"] == "13")
        #expect(status != 405 || answer.headers["allow"] == "GET")
    }

    @Test func `the echo endpoint is there only when it was asked for`() throws {
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send(WebSocketPeer.upgrade("/v1/echo"))
        #expect(try peer.answer().status == 404)
        let echoing = try LoopRig { $0.hasEcho = true }
        defer { echoing.stop() }
        let echo = try WebSocketPeer(port: echoing.port, target: "/v1/echo")
        try echo.send("grüße")
        #expect(try echo.next() == .text("grüße"))
        let large = [UInt8](repeating: 0xa5, count: 1 << 20)
        try echo.send(binary: large)
        #expect(try echo.next() == .binary(large))
        try echo.sendClose(1001)
        #expect(try echo.next() == .close(code: 1001, reason: ""))
    }

    @Test func `a client that goes on trying tokens is closed with 4401`() throws {
        let peer = try WebSocketPeer(port: server.port)
        for number in 0..<100 { try? peer.send(#"{"id":\#(number),"type":"hello","token":"a.b.c"}"#) }
        var answers: [JSONValue] = []
        var message = try peer.next()
        while case .text(let text) = message {
            answers.append(try JSONValue(parsing: Array(text.utf8), depthMax: 8))
            message = try peer.next()
        }
        #expect(message == .close(code: 4401, reason: "unauthenticated"))
        #expect(!answers.isEmpty && answers.count < 20)
        #expect(answers.allSatisfy { $0["error"]?["code"] == "unauthenticated" })
    }
}
