import Configuration
import Foundation
import Model
import TestSupport
import Testing

/// The address that a connection counts for, and the bound on connections of one.
struct AddressBoundTests {
    @Test func `a connection through a trusted proxy counts for the address that the proxy names`() throws {
        let server = try LoopRig { $0.connectionsPerAddress = 2 }
        defer { server.stop() }
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
        let server = try LoopRig {
            $0.connectionsPerAddress = 2
            $0.trustedProxies = AddressRanges(["127.0.0.1"]) ?? .loopback
        }
        defer { server.stop() }
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
        let server = try LoopRig { $0.connectionsPerAddress = 1 }
        defer { server.stop() }
        let held = try WebSocketPeer(port: server.port, headers: [("Via", "1.1 proxy")])
        func status(host: String) throws -> Int {
            let peer = try HTTPPeer(port: server.port)
            try peer.socket.send("GET /healthz HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            return try peer.answer().status
        }
        for own in ["localhost", "127.0.0.1:80", "[::1]", "watchwise"] { #expect(try status(host: own) == 200) }
        for foreign in ["chat.example.org", "192.0.2.7"] { #expect(try status(host: foreign) == 429) }
        held.socket.close()
    }

    @Test(arguments: [[("Via", "1.1 proxy")], [("X-Real-IP", "192.0.2.1")], [("X-Forwarded-Proto", "https")]])
    func `nobody named a proxy: the machine itself has no bound, but a proxy on it that names no client has`(
        _ signs: [(String, String)]
    ) throws {
        let server = try LoopRig { $0.connectionsPerAddress = 1 }
        defer { server.stop() }
        let own = try (0..<3).map { _ in try WebSocketPeer(port: server.port) }
        #expect(own.count == 3)
        var held: [WebSocketPeer] = []
        held.append(try WebSocketPeer(port: server.port, headers: signs))
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send(WebSocketPeer.upgrade("/v1/ws", signs))
        #expect(try peer.answer().status == 429)
        #expect(held.count == 1)
    }

    @Test func `X-Forwarded-For of somebody who is no trusted proxy is ignored`() throws {
        let server = try LoopRig {
            $0.connectionsPerAddress = 1
            $0.trustedProxies = AddressRanges(["10.0.0.1"]) ?? .loopback
        }
        defer { server.stop() }
        let first = try HTTPPeer(port: server.port)
        #expect(try first.request("GET", "/healthz", headers: [("X-Forwarded-For", "192.0.2.1")]).status == 200)
        let second = try HTTPPeer(port: server.port)
        #expect(try second.answer().status == 429)
    }

    @Test func `with the PROXY protocol a connection counts for the address in the header`() throws {
        let server = try LoopRig {
            $0.connectionsPerAddress = 1
            $0.hasProxyProtocol = true
        }
        defer { server.stop() }
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
