import Configuration
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing
@testable import Quotas

/// Bodies of requests count as memory for peers before they are complete.
struct HeldBodiesTests {
    private static let mebibyte = 1 << 20

    @Test func `bodies that never end are refused before they fill the server, and small requests are answered`() throws
    {
        let server = try TestServer { $0.peerMemoryBytes = 4 * Self.mebibyte }
        defer { server.application.stop() }
        let token = try server.token("operator", isAdmin: true)
        let head =
            "POST /v1/documents HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "200000\r\n"
        let piece = [UInt8](repeating: 0x20, count: 100_000)
        var peers: [HTTPPeer] = []
        for _ in 0..<12 {
            let peer = try HTTPPeer(port: server.port)
            try peer.socket.send(head)
            peers.append(peer)
        }
        // Each in turn sends a little more, until it is refused.
        for _ in 0..<10 {
            for peer in peers { try? peer.socket.send(piece) }
        }
        let device = try server.device("alice")
        try device.ok(["type": "ping"])
        let refused = peers.filter { $0.socket.isReadable(withinMilliseconds: 200) }
        #expect(!refused.isEmpty)
        let answer = try #require(refused.first).answer()
        #expect(answer.status == 503)
        #expect(try answer.json()["code"] == "unavailable")
        #expect(answer.headers["retry-after"] == "1")
        let admin = try server.admin()
        #expect(try #require(try admin.statistic("held_bytes")) <= Int64(4 * Self.mebibyte))
        #expect(try #require(try admin.statistic("refused_memory_total")) > 0)
        for peer in peers { peer.socket.close() }
        var held: Int64 = 1
        for _ in 0..<1000 where held != 0 {
            Thread.pause(milliseconds: 20)
            held = try #require(try admin.statistic("held_bytes"))
        }
        #expect(held < 70_000)
    }

    @Test func `a body from a client without a token for it is not read`() throws {
        let server = try TestServer.shared.get()
        for (target, token, status) in [
            ("/v1/documents", nil, 401), ("/v1/commands", nil, 401), ("/v1/documents", try server.token("bob"), 403),
            ("/v1/ws", nil, 413), ("/nothing", nil, 413),
            ("/v1/commands", try server.token("bob"), 413),
            ("/v1/triggers/x", try server.token("op", isAdmin: true), 413),
        ] as [(String, String?, Int)] {
            let peer = try HTTPPeer(port: server.port)
            let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
            // The head alone: the answer does not wait for the body.
            try peer.socket.send(
                "POST \(target) HTTP/1.1\r\nHost: a\r\n\(authorization)Content-Length: 8000000\r\n\r\n")
            #expect(try peer.answer().status == status, "\(target)")
            #expect(try peer.isEnded())
        }
    }
}
