import Configuration
import JSON
import Server
import TestSupport
import Testing

/// HTTP/1.1 as hostile clients speak it, on the socket.
struct HTTPHardeningTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    @Test func `a connection is kept for request after request, and closed when the client asks`() throws {
        let peer = try HTTPPeer(port: server.port)
        for _ in 0..<3 { #expect(try peer.request("GET", "/healthz").status == 200) }
        let last = try peer.request("GET", "/healthz", headers: [("Connection", "close")])
        #expect(last.headers["connection"] == "close")
        #expect(try peer.isEnded())
    }

    @Test func `pipelined requests are answered in their order, reads of the database between them`() throws {
        let peer = try HTTPPeer(port: server.port)
        let token = try server.token("operator", isAdmin: true)
        let targets = ["/healthz", "/v1/stats", "/nothing", "/readyz", "/v1/triggers", "/healthz"]
        var text = ""
        for target in targets {
            text += "GET \(target) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
        }
        try peer.socket.send(text)
        let answers = try targets.map { _ in try peer.answer() }
        #expect(answers.map(\.status) == [200, 200, 404, 200, 200, 200])
        #expect(answers[0].text == "ok\n")
        #expect(answers[3].text == "ready\n")
        #expect(try answers[1].json()["seq"] != nil)
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
        let server = try TestServer { $0.requestMilliseconds = 100 }
        defer { server.application.stop() }
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

    @Test func `a request byte by byte and a chunked body are understood`() throws {
        let peer = try HTTPPeer(port: server.port)
        for byte in Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8) { try peer.socket.send([byte]) }
        #expect(try peer.answer().text == "ok\n")
        let token = try server.token("operator", isAdmin: true)
        let name = server.name("p")
        try peer.socket.send(
            "PUT /v1/documents/products/\(name) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4;x=y\r\n\":1}\r\n0\r\nTrailer: x\r\n\r\n"
        )
        #expect(try peer.answer().status == 200)
        let stored = try Admin(peer, token: token).call("GET", "/v1/documents/products/\(name)")
        #expect(try stored.json()["data"] == ["a": 1])
    }

    @Test func `a client that sends Expect 100-continue is asked to go on`() throws {
        let peer = try HTTPPeer(port: server.port)
        let token = try server.token("operator", isAdmin: true)
        try peer.socket.send(
            "PUT /v1/documents/products/\(server.name("p")) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
                + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        )
        #expect(try peer.answer().status == 100)
        try peer.socket.send("{}")
        #expect(try peer.answer().status == 200)
    }

    @Test func `HTTP 1.0 is answered and the connection ends`() throws {
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send("GET /healthz HTTP/1.0\r\n\r\n")
        #expect(try peer.answer().text == "ok\n")
        #expect(try peer.isEnded())
    }

    @Test func `connections that come and go leave nothing in memory`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        for number in 0..<50 {
            let socket = try TCPSocket(port: server.port)
            if number % 2 == 0 { try socket.send("GET /v1/st") }
            socket.close()
            let device = try server.device("alice", "d\(number)")
            device.peer.socket.close()
        }
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(5))
        while try admin.statistic("connections") != 1 || admin.statistic("sessions") != 0, clock.now < end {}
        #expect(try admin.statistic("connections") == 1)
        #expect(try admin.statistic("sessions") == 0)
        #expect(try admin.statistic("online") == 0)
    }
}
