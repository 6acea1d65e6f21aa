import Configuration
import Execution
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing
@testable import Quotas
@testable import ThreadMessages

/// The bytes that one user may write in an hour, over all connections.
struct WrittenBytesTests {
    @Test func `a user who has written much in the hour is asked to wait, and others write on`() throws {
        let rules = try AccessRules(["users/{user}/notes/{note}": "owner"])
        let server = try TestServer {
            $0.rules = rules
            $0.writeBytesAnHour = 1 << 20
        }
        defer { server.application.stop() }
        let text = JSONValue.string(String(repeating: "x", count: 50_000))
        func put(_ user: String, _ number: Int) -> JSONValue {
            [
                "type": "put", "path": .string("users/\(user)/notes/1"), "data": ["text": text],
                "key": .string("k\(number)"),
            ]
        }
        let device = try server.device("writer")
        let replies = try (0..<30).map { try device.reply(to: device.post(put("writer", $0))) }
        let refused = replies.compactMap { $0["error"] }
        #expect((5...12).contains(30 - refused.count))
        #expect(refused.allSatisfy { $0["code"] == "rate-limited" })
        #expect(try #require(refused.last?["retryAfterMs"]?.integerValue) > 1000)
        // With a new connection, and over HTTP: it is the user who must wait.
        let again = try server.device("writer").refused(put("writer", 100))
        #expect(again["code"] == "rate-limited")
        let posted = try Admin(HTTPPeer(port: server.port), token: server.token("writer"))
            .call("POST", "/v1/commands", put("writer", 101))
        #expect(posted.status == 429)
        try server.device("other").ok(put("other", 1))
    }
}
