import Authentication
import Execution
import Foundation
import JSON
import Model
import Store
import TestSupport
import Testing
import ThreadMessages

@testable import Admin
@testable import Services

/// Every request to the admin API that writes reaches the writer in the same form by way of another node.
@Suite struct HandedRoutesTests {
    /// A request that writes.
    private struct Write {
        let method: String
        let target: String
        let text: String
        let fields: [(String, String)]

        init(_ method: String, _ target: String, _ text: String = "", _ fields: [(String, String)] = []) {
            self.method = method
            self.target = target
            self.text = text
            self.fields = fields
        }
    }

    private static let key = [("Idempotency-Key", "k1")]
    private static let trigger = #"""
        {"path":"stations/{id}","event":"write","audience":"followers:station:{id}","title":"New"}
        """#

    private static let writes = [
        Write("PUT", "/v1/documents/products/1", #"{"a":1}"#, key + [("If-Match", "\"3\"")]),
        Write("PUT", "/v1/documents/products/%31?ifVersion=0", #"{"a":1}"#, [("If-None-Match", "*")]),
        Write("PATCH", "/v1/documents/products/1", #"{"a":null}"#, [(TriggerChain.headerName, "release,again")]),
        Write("DELETE", "/v1/documents/products/1?ifVersion=7", "", [("idempotency-key", "\"k2\"")]),
        Write(
            "POST", "/v1/documents", #"{"writes":[{"op":"put","path":"products/2","data":{"b":"Zażółć"}}]}"#,
            key + [(TriggerChain.headerName, "one"), (TriggerChain.headerName, "two")]),
        Write("PUT", "/v1/triggers/t", trigger, key),
        Write("DELETE", "/v1/triggers/t"),
        Write("POST", "/v1/triggers/t/replay", #"{"from":1,"to":2,"dryRun":false}"#, key),
        Write("PUT", "/v1/rules", #"{"rules":{}}"#, key + [("If-Match", "\"1\"")]),
        Write("POST", "/v1/broadcasts", #"{"audience":"person:525","title":"T","body":"B"}"#, key),
        Write(
            "POST", "/v1/broadcasts",
            #"{"audiences":["person:525","room:1c"],"users":["bob"],"except":["role:staff"],"title":"T"}"#, key),
        Write("PATCH", "/v1/broadcasts/1", #"{"title":"U","expires":null}"#, key),
        Write("DELETE", "/v1/broadcasts/1"),
        Write(
            "POST", "/v1/publish/person:525", "A text\nand more",
            key + [("Title", "Über"), ("Level", "active"), ("Collapse", "c"), ("Expires", "2056-11-23T11:06:59Z")]),
        Write("PUT", "/v1/feeds/films", #"{"kind":"rss","url":"https://example.org/feed"}"#, key),
        Write("DELETE", "/v1/feeds/films"),
        Write("POST", "/v1/feeds/films/run", "", key),
        Write("PUT", "/v1/users/bob/preferences", #"{"timeZone":"Europe/Rome"}"#, key),
        Write("PATCH", "/v1/users/bob/preferences", #"{"timeZone":"Europe/Rome"}"#, key),
        Write("POST", "/v1/users/bob/kick", #"{"reason":"enough","revoke":true}"#, key),
        Write(
            "PUT", "/v1/users/bob/restrictions", #"{"kind":"ban","until":"2056-11-23T11:06:59Z","reason":"Gęś"}"#, key),
        Write("DELETE", "/v1/users/bob/restrictions?kind=mute"),
        Write("PUT", "/v1/users/bob/limits", #"{"send":"30/10s"}"#, key),
        Write("DELETE", "/v1/users/bob/limits"),
        Write("DELETE", "/v1/users/bob", #"{"messages":"keep","documents":["reviews/*"]}"#, key),
        Write("PUT", "/v1/users/bob", "{}", key),
        Write("POST", "/v1/users/bob/deactivate", #"{"reason":"left"}"#, key),
        Write("POST", "/v1/users/bob/reactivate", "", key),
        Write("POST", "/v1/reports/r1/decide", #"{"action":"warn","statement":"s","note":"n"}"#, key),
        Write("POST", "/v1/revocations", #"{"jti":"t1","until":"2056-11-23T11:06:59Z","reason":"lost"}"#, key),
        Write("DELETE", "/v1/revocations/1"),
        Write("DELETE", "/v1/push/devices/1"),
        Write("POST", "/v1/webhooks/deliveries/1/replay", "", key),
        Write("POST", "/v1/webhooks/replay", #"{"trigger":"t","since":7}"#, key),
        Write("POST", "/v1/webhooks/1/enable", "", key),
        Write("DELETE", "/v1/dead/1"),
        Write("POST", "/v1/dead/1/retry", "", key),
    ]

    /// Requests that write nothing although their method might: what they answer besides "not allowed".
    private static let reads: Set<String> = [
        "POST /v1/triggers/t/test", "POST /v1/feeds/films/test", "POST /v1/push/test",
    ]

    /// The paths of the API that only read.
    private static let readPaths = [
        "/v1/triggers/t/test", "/v1/triggers/t/runs", "/v1/feeds/films/test", "/v1/push/test", "/v1/push/key",
        "/v1/push/devices", "/v1/push/jobs", "/v1/push/jobs/1", "/v1/notifications/n1/explain", "/v1/explain",
        "/v1/reports", "/v1/reports/r1",
        "/v1/triggers", "/v1/feeds", "/v1/dead", "/v1/webhooks", "/v1/webhooks/deliveries", "/v1/stats", "/v1/backup",
    ]

    private static func path(_ target: String) -> String {
        let path = String(target.prefix { $0 != "?" })
        return path.removingPercentEncoding ?? path
    }

    @Test func `each route becomes the same order on the leading node`() throws {
        let secret = try ServerSecret()
        let (first, leader) = (try MemberNode(secret: secret), try MemberNode(secret: secret))
        defer {
            first.stop()
            leader.stop()
        }
        let admin = try first.admin()
        for (ticket, write) in Self.writes.enumerated() {
            let (name, count) = ("\(write.method) \(write.target)", first.orders.all.count)
            let answer = try admin.call(write.method, write.target, text: write.text, headers: write.fields)
            // A refusal is noted by a write of its own.
            let orders = first.orders.all.dropFirst(count).filter { !($0.request.useCase is NoteAudit) }
            #expect(orders.count == 1, "\(name): \(answer.text)")
            guard let order = orders.first, let source = order.source else { continue }
            guard case .request(let request) = source else {
                Issue.record("\(name) is handed on as \(source)")
                continue
            }
            #expect(!request.fields.contains { $0.name == "Host" || $0.name == "Content-Length" })
            #expect(order.bytes > write.text.utf8.count)
            leader.take([
                HandedCommand(
                    ticket: UInt64(ticket), actor: order.request.actor, at: order.request.at, work: source)
            ])
            let handed = try leader.orders.element(ticket)
            #expect(handed.origin == HandedOrigin(node: "b", ticket: UInt64(ticket), term: 1), "\(name)")
            #expect(handed.request.actor == order.request.actor, "\(name)")
            #expect(handed.account == nil, "\(name)")
            let (one, other) = (OrderContent.text(of: order), OrderContent.text(of: handed))
            #expect(one == other, "\(name)")
        }
        #expect(leader.cluster.all.isEmpty)
    }

    @Test func `no other method writes at any path`() throws {
        let node = try MemberNode(secret: ServerSecret())
        defer { node.stop() }
        let admin = try node.admin()
        let known = Set(Self.writes.map { "\($0.method) \(Self.path($0.target))" }).union(Self.reads)
        for path in Set(Self.writes.map { Self.path($0.target) } + Self.readPaths).sorted() {
            for method in ["POST", "PUT", "PATCH", "DELETE"] where !known.contains("\(method) \(path)") {
                let answer = try admin.call(method, path, text: "{}")
                #expect(answer.status == 405, "\(method) \(path) is in no table of this test: \(answer.text)")
            }
        }
        #expect(node.orders.all.isEmpty)
    }

    @Test func `the tables above know every route of the API that is no read`() {
        func matches(_ name: String, _ route: AdminRoute) -> Bool {
            let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
            return parts[0] == route.method
                && route.values(in: parts[1].split(separator: "/").dropFirst().map(String.init)[...]) != nil
        }
        let known = Self.writes.map { "\($0.method) \(Self.path($0.target))" } + Self.reads
        // Those of the cluster and of the server's own copies are for the node that is asked.
        let own = ["cluster", "backups"]
        for route in RouteTable.all where route.method != "GET" && !own.contains(route.parts[0].text) {
            #expect(
                known.contains { matches($0, route) }, "\(route.method) \(route.template) is in no table of this test")
        }
    }

    @Test func `the row of the audit is the same by way of another node`() throws {
        let secret = try ServerSecret()
        let (first, leader) = (try MemberNode(secret: secret), try MemberNode(secret: secret))
        defer {
            first.stop()
            leader.stop()
        }
        let admin = try first.admin()
        let from = [("X-Forwarded-For", "192.0.2.9"), ("X-Request-Id", "r-7"), ("Watchwise-Client", "198.51.100.1")]
        let body: JSONValue = ["jti": "t1", "reason": "enough"]
        _ = try admin.call("POST", "/v1/revocations", body, headers: from)
        // A request that is refused is handed on to be noted, with what was asked for.
        _ = try Admin(try HTTPPeer(port: first.port), token: try first.token("alice"))
            .call("POST", "/v1/revocations", body, headers: from)
        for (ticket, outcome) in ["ok", "forbidden"].enumerated() {
            let order = try first.orders.element(ticket)
            let source = try #require(order.source)
            leader.take([
                HandedCommand(
                    ticket: UInt64(ticket), actor: order.request.actor, at: order.request.at, work: source)
            ])
            let handed = try leader.orders.element(ticket)
            for one in [order, handed] {
                let note = try #require(one.request.audit ?? (one.request.useCase as? NoteAudit)?.note)
                #expect(note.actor == (outcome == "ok" ? "operator" : "alice"))
                #expect(note.address == "192.0.2.9" && note.request == "r-7")
                #expect(note.action == "revocation.add" && note.target == "revocations")
                #expect(note.detail == #"{"jti":"t1","reason":"enough"}"#)
                if let use = one.request.useCase as? NoteAudit { #expect(use.outcome.text == outcome) }
            }
        }
    }
}

extension AdminRoute.Part {
    fileprivate var text: String { if case .literal(let text) = self { text } else { "" } }
}
