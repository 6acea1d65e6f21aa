import Configuration
import JSON
import Server
import TestSupport
import Testing

/// HTTP/1.1 as hostile clients speak it, on the socket.
struct HTTPHardeningTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

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
