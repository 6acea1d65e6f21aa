import Configuration
import Foundation
import TestSupport
import Testing

/// HTTP/1.1 as hostile clients speak it, on the socket of a loop.
struct HardenedHTTPTests {
    private static let server = Result { try LoopRig() }
    let server: LoopRig

    init() throws { server = try Self.server.get() }

    @Test func `a connection is kept for request after request, and closed when the client asks`() throws {
        let peer = try HTTPPeer(port: server.port)
        for _ in 0..<3 { #expect(try peer.request("GET", "/healthz").status == 200) }
        let last = try peer.request("GET", "/healthz", headers: [("Connection", "close")])
        #expect(last.headers["connection"] == "close")
        #expect(try peer.isEnded())
    }

    @Test(arguments: [
        "POST /v1/documents HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/documents HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
        "POST /v1/documents HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\nabcd",
        "POST /v1/documents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST /v1/documents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\n folded: x\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /healthz HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\nHost: a\n\n",
        "GET  /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /heal\u{0}thz HTTP/1.1\r\nHost: a\r\n\r\n", "nonsense\r\n\r\n",
        "POST /v1/documents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    ])
    func `a request with a beginning of smuggling is refused and the connection ends`(_ request: String) throws {
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send(request + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try peer.answer()
        #expect((400..<500).contains(answer.status) || answer.status == 501)
        #expect(answer.headers["connection"] == "close")
        #expect(try peer.isEnded())
    }

    @Test func `an oversized head is 431 and a target too long 414`() throws {
        let heads = try HTTPPeer(port: server.port)
        try heads.socket.send("GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n")
        #expect(try heads.answer().status == 431)
        #expect(try heads.isEnded())
        let many = try HTTPPeer(port: server.port)
        try many.socket.send(
            "GET /healthz HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 200) + "\r\n"
        )
        #expect(try many.answer().status == 431)
        let target = try HTTPPeer(port: server.port)
        try target.socket.send("GET /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try target.answer().status == 414)
    }

    @Test func `a request that does not arrive in time is 408, an idle connection just ends`() throws {
        let server = try LoopRig { $0.requestMilliseconds = 100 }
        defer { server.stop() }
        let head = try HTTPPeer(port: server.port)
        try head.socket.send("GET /healthz HTTP/1.1\r\nHost:")
        let body = try HTTPPeer(port: server.port)
        try body.socket.send("PUT /v1/documents/a/b HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{")
        let second = try HTTPPeer(port: server.port)
        try second.socket.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /heal")
        #expect(try second.answer().status == 200)
        let idle = try HTTPPeer(port: server.port)
        for peer in [head, body, second] {
            #expect(try peer.answer().status == 408)
            #expect(try peer.isEnded())
        }
        #expect(try idle.isEnded())
    }

    @Test func `an idle connection lives as long as the setting says, and then just ends`() throws {
        let server = try LoopRig { $0.keepAliveMilliseconds = 2000 }
        defer { server.stop() }
        let peer = try HTTPPeer(port: server.port)
        #expect(try peer.request("GET", "/healthz").status == 200)
        Thread.sleep(forTimeInterval: 1)
        #expect(try peer.request("GET", "/healthz").status == 200, "a request begins the time again")
        let began = ContinuousClock.now
        #expect(try peer.isEnded())
        #expect((.milliseconds(1900)...(.seconds(10))).contains(ContinuousClock.now - began))
    }

    @Test(arguments: [
        "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/stats HTTP/1.1\r\nHost: a\r\n\r\n", "GET /v1/sdk/watchwise.js HTTP/1.1\r\nHost: a\r\n\r\n",
        "DELETE /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "nonsense\r\n\r\n", "GET /v1/ws HTTP/1.1\r\nHost: a\r\n\r\n",
        "HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS /v1/commands HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    ])
    func `every answer says the date`(_ request: String) throws {
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send(request)
        let answer = try peer.answer(isHead: request.hasPrefix("HEAD"))
        let form = /\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/
        #expect(answer.headers["date"]?.wholeMatch(of: form) != nil, "\(answer.status) \(answer.headers)")
    }

    @Test func `HTTP 1.0 is answered and the connection ends`() throws {
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send("GET /healthz HTTP/1.0\r\n\r\n")
        #expect(try peer.answer().text == "ok\n")
        #expect(try peer.isEnded())
    }
}
