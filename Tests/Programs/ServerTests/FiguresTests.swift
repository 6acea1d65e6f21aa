import Authentication
import Configuration
import JSON
import Model
import Server
import Telemetry
import TestSupport
import Testing

/// The figures of a server that people use.
struct FiguresTests {
    private func page(_ server: TestServer) throws -> [String] {
        try server.admin().call("GET", "/metrics").text.split(separator: "\n").map(String.init)
    }

    private func value(_ name: String, _ lines: [String]) -> Double? {
        lines.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    @Test func `writes, reads, deliveries and requests are timed, and users who are online are counted`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let (alice, bob) = (try server.device("alice"), try server.device("bob"))
        defer { withExtendedLifetime(bob) {} }
        try alice.ok(["type": "follow", "topic": "user:bob"])
        for number in 1...5 {
            _ = try alice.ok(["type": "send", "to": "bob", "text": .string("\(number)"), "key": .string("k\(number)")])
        }
        _ = try alice.ok(["type": "chats"])
        _ = try page(server)
        let lines = try page(server)
        for name in ["write", "commit"] {
            #expect(try #require(value("watchwise_\(name)_duration_seconds_count", lines)) >= 5, "\(name)")
        }
        for name in ["read_duration", "delivery_lag", "http_request_duration"] {
            let (count, sum) = (
                value("watchwise_\(name)_seconds_count", lines), value("watchwise_\(name)_seconds_sum", lines)
            )
            #expect(try #require(count) > 0, "\(name)")
            #expect(try #require(sum) > 0 && sum! < 60, "\(name)")
        }
        #expect(value("watchwise_users_online", lines) == 2)
        #expect(try #require(value("watchwise_database_bytes{file=\"main\"}", lines)) > 0)
        #expect(try #require(value("watchwise_disk_free_bytes", lines)) > 0)
    }

    @Test func `a refused token and a refused command are counted by their reasons`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let device = try server.connect()
        let now = WallClock.system.now()
        let other = try JSONWebToken.sign(
            Claims(subject: #require(UserID("alice")), expiresAt: now.adding(milliseconds: 60_000)), issuedAt: now,
            with: ServerSecret())
        _ = try device.reply(to: device.post(Device.helloCommand(token: other)))
        _ = try HTTPPeer(port: server.port).request(
            "GET", "/v1/stats", headers: [("Authorization", "Bearer no.to.ken")])
        _ = try server.device("alice").refused(["type": "send", "to": "bob"])
        let lines = try page(server)
        #expect(value("watchwise_tokens_refused_total{reason=\"audience\"}", lines) == 1)
        #expect(value("watchwise_tokens_refused_total{reason=\"malformed\"}", lines) == 1)
        #expect(try #require(value("watchwise_refusals_total{code=\"unauthenticated\"}", lines)) >= 1)
        #expect(value("watchwise_refusals_total{code=\"bad-request\"}", lines) == 1)
        #expect(value("watchwise_http_responses_total{status=\"401\"}", lines) == 1)
        #expect(try #require(try server.admin().statistic("refusals_total")) >= 2)
    }
}
