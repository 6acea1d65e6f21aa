import Configuration
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing

/// The bounds on connections, and the user or address that each counts for.
struct PeerLimitTests {
    @Test func `a user with the largest number of sessions is refused until one ends`() throws {
        let server = try TestServer { $0.connectionsPerUser = 2 }
        defer { server.application.stop() }
        let first = try server.device("alice", "a")
        let second = try server.device("alice", "b")
        let third = try server.connect()
        let hello = Device.helloCommand(token: try server.token("alice"), device: "c")
        let error = try third.refused(hello)
        #expect(error["code"] == "too-many")
        #expect(error["class"] == "limit")
        #expect((error["retryAfterMs"]?.integerValue ?? 0) > 0)
        #expect(try third.refused(["type": "ping"])["code"] == "unauthenticated")
        // Another user, and a user with a renewed token, are let in.
        _ = try server.device("bob")
        try second.hello(token: server.token("alice"), device: "b")
        let events = try HTTPPeer(port: server.port)
        let answer = try events.request(
            "GET", "/v1/events", headers: [("Authorization", "Bearer \(server.token("alice"))")])
        #expect(answer.status == 429)
        #expect(answer.headers["retry-after"] != nil)
        first.peer.socket.close()
        for _ in 0..<1000 {
            if try third.reply(to: third.post(hello))["ok"] != nil { break }
            Thread.pause(milliseconds: 20)
        }
        try third.ok(["type": "ping"])
        #expect(try #require(try server.admin().statistic("refused_user_total")) >= 2)
    }

    @Test func `an address with the largest number of connections is answered 429 at once`() throws {
        let server = try TestServer {
            $0.connectionsPerAddress = 3
            $0.trustedProxies = AddressRanges(["none"]) ?? .loopback
        }
        defer { server.application.stop() }
        let device = try server.device("alice")
        let second = try HTTPPeer(port: server.port)
        #expect(try second.request("GET", "/healthz").status == 200)
        let third = try HTTPPeer(port: server.port)
        #expect(try third.request("GET", "/healthz").status == 200)
        let fourth = try HTTPPeer(port: server.port)
        let answer = try fourth.answer()
        #expect(answer.status == 429)
        #expect(try answer.json()["code"] == "too-many")
        #expect(try fourth.isEnded())
        try device.ok(["type": "ping"])
        third.socket.close()
        var status = 429
        for _ in 0..<1000 where status != 200 {
            Thread.pause(milliseconds: 20)
            status = (try? HTTPPeer(port: server.port).request("GET", "/healthz").status) ?? 429
        }
        #expect(status == 200)
    }

    @Test func `a connection through a trusted proxy counts for the address that the proxy names`() throws {
        let server = try TestServer { $0.connectionsPerAddress = 2 }
        defer { server.application.stop() }
        func session(_ client: String) throws -> Int {
            let peer = try HTTPPeer(port: server.port)
            try peer.socket.send(WebSocketPeer.upgrade("/v1/ws", [("X-Forwarded-For", "8.8.8.8, \(client)")]))
            let status = try peer.answer().status
            if status == 101 { held.append(peer) }
            return status
        }
        var held: [HTTPPeer] = []
        #expect(try session("192.0.2.1") == 101)
        #expect(try session("192.0.2.1") == 101)
        #expect(try session("192.0.2.1") == 429)
        #expect(try session("192.0.2.2") == 101)
        #expect(try session("2001:db8::1") == 101)
        #expect(try session("2001:db8::2") == 101)
        #expect(try session("2001:db8::3") == 429)
        #expect(try session("2001:db8:0:1::3") == 101)
        // The proxy's own connections have no bound, and its requests count only until they are answered.
        let kept = try HTTPPeer(port: server.port)
        for _ in 0..<5 {
            #expect(try kept.request("GET", "/healthz", headers: [("X-Forwarded-For", "192.0.2.2")]).status == 200)
        }
        #expect(try kept.request("GET", "/healthz", headers: [("X-Forwarded-For", "192.0.2.1")]).status == 429)
        #expect(held.count == 6)
    }

    @Test func `a request that a trusted proxy passes on without naming its client counts for the proxy`() throws {
        let server = try TestServer {
            $0.connectionsPerAddress = 2
            $0.trustedProxies = AddressRanges(["127.0.0.1"]) ?? .loopback
        }
        defer { server.application.stop() }
        var held: [HTTPPeer] = []
        func session(_ headers: [(String, String)] = []) throws -> Int {
            let peer = try HTTPPeer(port: server.port)
            try peer.socket.send(WebSocketPeer.upgrade("/v1/ws", headers))
            let status = try peer.answer().status
            if status == 101 { held.append(peer) }
            return status
        }
        #expect(try session() == 101)
        #expect(try session([("X-Forwarded-For", "127.0.0.1")]) == 101)
        #expect(try session() == 429)
        #expect(try session([("X-Forwarded-For", "192.0.2.1")]) == 101)
        held[0].socket.close()
        var status = 429
        for _ in 0..<1000 where status != 101 {
            Thread.pause(milliseconds: 20)
            status = try session()
        }
        #expect(status == 101)
    }

    @Test func `a request for a public name that comes from this machine came by a proxy`() throws {
        let server = try TestServer { $0.connectionsPerAddress = 1 }
        defer { server.application.stop() }
        let held = try server.connect(headers: [("Via", "1.1 proxy")])
        func status(host: String) throws -> Int {
            let peer = try HTTPPeer(port: server.port)
            try peer.socket.send("GET /healthz HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            return try peer.answer().status
        }
        for own in ["localhost", "127.0.0.1:80", "[::1]", "watchwise"] { #expect(try status(host: own) == 200) }
        for foreign in ["chat.example.org", "192.0.2.7"] { #expect(try status(host: foreign) == 429) }
        held.peer.socket.close()
    }

    @Test(arguments: [[("Via", "1.1 proxy")], [("X-Real-IP", "192.0.2.1")], [("X-Forwarded-Proto", "https")]])
    func `nobody named a proxy: the machine itself has no bound, but a proxy on it that names no client has`(
        _ signs: [(String, String)]
    ) throws {
        let server = try TestServer { $0.connectionsPerAddress = 1 }
        defer { server.application.stop() }
        let own = try (0..<3).map { _ in try server.connect() }
        #expect(own.count == 3)
        var held: [Device] = []
        held.append(try server.connect(headers: signs))
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send(WebSocketPeer.upgrade("/v1/ws", signs))
        #expect(try peer.answer().status == 429)
        #expect(held.count == 1)
    }

    @Test func `X-Forwarded-For of somebody who is no trusted proxy is ignored`() throws {
        let server = try TestServer {
            $0.connectionsPerAddress = 1
            $0.trustedProxies = AddressRanges(["10.0.0.1"]) ?? .loopback
        }
        defer { server.application.stop() }
        let first = try HTTPPeer(port: server.port)
        #expect(try first.request("GET", "/healthz", headers: [("X-Forwarded-For", "192.0.2.1")]).status == 200)
        let second = try HTTPPeer(port: server.port)
        #expect(try second.answer().status == 429)
    }

    @Test func `with the PROXY protocol a connection counts for the address in the header`() throws {
        let server = try TestServer {
            $0.connectionsPerAddress = 1
            $0.hasProxyProtocol = true
        }
        defer { server.application.stop() }
        func status(_ header: String) throws -> Int? {
            let peer = try HTTPPeer(port: server.port)
            held.append(peer)
            try peer.socket.send(header + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            return try? peer.answer().status
        }
        var held: [HTTPPeer] = []
        #expect(try status("PROXY TCP4 192.0.2.1 10.0.0.1 1 2\r\n") == 200)
        #expect(try status("PROXY TCP4 192.0.2.1 10.0.0.1 3 2\r\n") == nil)
        #expect(try status("PROXY TCP4 192.0.2.2 10.0.0.1 1 2\r\n") == 200)
        #expect(try status("PROXY UNKNOWN\r\n") == 200)
        #expect(try status("") == nil)
        #expect(try status("PROXY TCP4 nonsense\r\n") == nil)
    }
}
