import Configuration
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing

/// The rows of the audit, and who may ask for them.
@Suite struct AuditTests {
    private func audit(_ admin: Admin, _ query: String = "") throws -> [JSONValue] {
        try admin.call("GET", "/v1/audit?limit=100\(query)").json()["audit"]?.arrayValue ?? []
    }

    @Test func `a row says who did what, from where, and how it ended`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let headers = [("X-Forwarded-For", "192.0.2.9"), ("X-Request-Id", "proxy-1.a_B")]
        let kick = try admin.call(
            "POST", "/v1/users/mallory/kick", ["reason": "spam", "revoke": true],
            headers: headers + [("Idempotency-Key", "k1")])
        #expect(kick.headers["x-request-id"] == "proxy-1.a_B")
        let row = try #require(try audit(admin, "&actor=operator&action=user.kick&target=users/mallory").first)
        #expect(row["outcome"] == "ok" && row["address"] == "192.0.2.9" && row["request"] == "proxy-1.a_B")
        #expect(row["detail"] == ["reason": "spam", "revoke": true])
        #expect(row["at"]?.stringValue.flatMap(Timestamp.init) != nil)
        for other in ["&actor=somebody", "&action=user.kic", "&target=users/mallor"] {
            #expect(try audit(admin, other).isEmpty, "\(other)")
        }
        // The same key again: nothing is done, and the request has a row all the same.
        _ = try admin.call(
            "POST", "/v1/users/mallory/kick", ["reason": "spam", "revoke": true],
            headers: [("Idempotency-Key", "k1")])
        #expect(try audit(admin, "&action=user.kick").map { $0["outcome"]?.stringValue } == ["repeated", "ok"])
        let reused = try admin.call("POST", "/v1/users/mallory/kick", [:], headers: [("Idempotency-Key", "k1")])
        #expect(reused.status == 422)
        #expect(try audit(admin, "&action=user.kick").first?["outcome"] == "key-reused")
    }

    @Test func `details bear no texts, tokens or keys`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let secret = "SECRETTEXT"
        let body: JSONValue = ["audience": "everyone", "title": .string(secret), "body": .string(secret)]
        _ = try admin.call("POST", "/v1/broadcasts", body)
        _ = try admin.call("POST", "/v1/publish/match:1", text: secret, headers: [("Title", secret)])
        _ = try admin.call("PUT", "/v1/documents/notes/1", ["text": .string(secret)])
        _ = try admin.call("POST", "/v1/revocations", ["token": .string(try server.token("bob", jti: "b1"))])
        _ = try admin.call(
            "PUT", "/v1/feeds/films", ["kind": "rss", "url": "https://example.org/\(secret)", "key": .string(secret)])
        let rows = try audit(admin)
        #expect(rows.count == 5)
        #expect(!rows.contains { $0.text.contains(secret) || $0.text.contains("eyJ") }, "\(rows)")
        #expect(rows.contains { $0["detail"] == ["audience": "everyone"] })
    }

    @Test func `the row of a new trigger says who is notified, and which server is called`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let row: JSONValue = [
            "event": "write", "path": "orders/{order}",
            "audience": ["user:{after.who}", "followers:shop:{after.shop}"],
            "title": "Order", "webhook": "https://hooks.example.org/T0/SECRETTEXT?key=SECRETTEXT",
        ]
        #expect(try admin.call("PUT", "/v1/triggers/order", row).status < 300)
        let detail = try #require(try audit(admin, "&action=trigger.put").first?["detail"])
        #expect(
            detail == [
                "event": "write", "path": "orders/{order}",
                "audience": "user:{after.who}, followers:shop:{after.shop}",
                "webhook": "https://hooks.example.org",
            ])
    }

    @Test func `pages go back to the beginning, and after a restart the rows are there`() throws {
        let folder = TemporaryFolder()
        var server = try TestServer(in: folder) { _ in }
        var admin = try server.admin()
        for number in 1...7 { _ = try admin.call("PUT", "/v1/documents/notes/\(number)", [:]) }
        server.application.stop()
        server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        admin = try server.admin()
        var (targets, next): ([String], String?) = ([], nil)
        repeat {
            let page = try admin.call("GET", "/v1/audit?limit=3" + (next.map { "&before=\($0)" } ?? "")).json()
            targets += (page["audit"]?.arrayValue ?? []).compactMap { $0["target"]?.stringValue }
            next = page["next"]?.stringValue
        } while next != nil
        #expect(targets == (1...7).reversed().map { "documents/notes/\($0)" })
        let refused = try admin.call("GET", "/v1/audit?before=x")
        #expect(refused.status == 400)
        #expect(try refused.json()["field"] == "before")
    }

    @Test func `a copy of the database and messages of chats are noted before they are shown`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let pair = try server.pair()
        let path = "/v1/documents/chats/\(pair.chat)/messages/1"
        #expect(try admin.call("GET", "/v1/backup").status == 200)
        #expect(try admin.call("GET", path).status == 200)
        #expect(try admin.call("GET", "/v1/documents?collection=chats/\(pair.chat)/messages").status == 200)
        #expect(
            try audit(admin).prefix(3).map { $0["action"]?.stringValue }
                == ["document.list", "document.get", "backup.get"])
        #expect(try audit(admin).first?["detail"] == ["collection": .string("chats/\(pair.chat)/messages")])
    }

    @Test func `an administrator reads a chat for a reason, and the audit has it`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let pair = try server.pair()
        for number in 2...5 {
            try pair.bobPhone.ok([
                "type": "send", "chat": .string(pair.chat), "text": .string("m\(number)"), "key": .string("m\(number)"),
            ])
        }
        let path = "/v1/chats/\(pair.chat)/messages"
        for (query, field) in [
            ("", "reason"), ("?reason=", "reason"), ("?reason=\(String(repeating: "r", count: 201))", "reason"),
            ("?reason=r&before=0", "before"), ("?reason=r&after=x", "after"), ("?reason=r&before=2&after=1", "after"),
            ("?reason=r&limit=0", "limit"),
        ] {
            let refused = try admin.call("GET", path + query)
            #expect(refused.status == 400, "\(query)")
            #expect(try refused.json()["field"] == .string(field), "\(query)")
        }
        #expect(try admin.call("GET", "/v1/chats/bob/messages?reason=r").json()["field"] == "chat")
        let none = try admin.call("GET", "/v1/chats/nobody:none/messages?reason=r")
        #expect(none.status == 404)
        let page = try admin.call("GET", path + "?reason=report+17&limit=2").json()
        #expect(page["messages"]?.arrayValue?.map { $0["n"] } == [4, 5])
        let rest = try admin.call("GET", path + "?reason=report+17&before=\(page["next"]?.stringValue ?? "")").json()
        #expect(rest["messages"]?.arrayValue?.map { $0["n"] } == [1, 2, 3] && rest["next"] == nil)
        let after = try admin.call("GET", path + "?reason=report+17&after=4").json()
        #expect(after["messages"]?.arrayValue?.map { $0["text"] } == ["m5"])
        let rows = try audit(admin, "&target=chats/\(pair.chat)")
        #expect(rows.count == 3)
        #expect(rows.allSatisfy { $0["detail"]?["reason"] == "report 17" && $0["action"] == "chat.read" })
        #expect(rows.last?["outcome"] == "ok")
    }

    @Test func `a refusal bears the id of its request, and an unsound id is not taken`() throws {
        let server = try TestServer.shared.get()
        let admin = try server.admin()
        var seen: Set<String> = []
        for given in ["", "a b", "ü", String(repeating: "x", count: 65), "<script>"] {
            let answer = try admin.call("GET", "/v1/nothing", headers: [("X-Request-Id", given)])
            let id = try #require(answer.headers["x-request-id"])
            #expect(id != given && seen.insert(id).inserted)
            #expect(try answer.json()["request"] == .string(id))
        }
        let longest = String(repeating: "x", count: 64)
        let answer = try admin.call("GET", "/healthz", headers: [("X-Request-Id", longest)])
        #expect(answer.headers["x-request-id"] == longest)
    }

    @Test func `a user leaves one row in a minute for refusals, and an operator one for each`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        func caller(_ name: String, _ scopes: Set<String> = []) throws -> Admin {
            Admin(try HTTPPeer(port: server.port), token: try server.token(name, scopes: scopes))
        }
        let (mallory, again, shop) = (
            try caller("mallory"), try caller("mallory"), try caller("shop", ["admin:publish"])
        )
        for number in 1...40 {
            #expect(try mallory.call("PUT", "/v1/documents/notes/\(number)", [:]).status == 403)
            #expect(try again.call("DELETE", "/v1/users/bob", ["reason": "x"]).status == 403)
            #expect(try shop.call("DELETE", "/v1/triggers/t\(number)").status == 403)
        }
        #expect(try caller("eve").call("PUT", "/v1/documents/notes/1", text: "nonsense").status == 403)
        let rows = try admin.call("GET", "/v1/audit?limit=200").json()["audit"]?.arrayValue ?? []
        func count(_ actor: String) -> Int { rows.count { $0["actor"] == .string(actor) } }
        #expect(count("mallory") == 1 && count("eve") == 1 && count("shop") == 40 && rows.count == 42)
    }

    @Test func `a row says whether a user, an operator, a server or somebody at the command line sent the request`()
        throws
    {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        func call(_ token: String) throws -> Int {
            try Admin(HTTPPeer(port: server.port), token: token).call("DELETE", "/v1/triggers/t").status
        }
        // Somebody may have the name that the command line signs with.
        #expect(try call(server.token("operator")) == 403)
        #expect(try call(server.token("shop", scopes: ["admin:publish"])) == 403)
        let node = Admin(try HTTPPeer(port: server.port), token: try server.token("node.b", scopes: ["node:join"]))
        #expect(try node.call("GET", "/v1/backup").status == 200)
        #expect(try call(server.token("operator", isAdmin: true, commandLine: "ada")) == 404)
        // A user is nobody at the command line.
        #expect(try call(server.token("mallory", commandLine: "ada")) == 403)
        let rows = try audit(server.admin()).map {
            "\($0["actor"]?.stringValue ?? ""): \($0["kind"]?.stringValue ?? "")"
        }
        #expect(
            rows == ["mallory: user", "ada: command line", "node.b: server", "shop: operator", "operator: user"])
    }

    @Test func `a request whose path has control characters leaves a row, which has them encoded`()
        throws
    {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        for path in ["documents/notes/1%0A2026", "documents/notes/%00", "documents/notes/..", "triggers/%1B%5B2J"] {
            let answer = try admin.call("DELETE", "/v1/" + path)
            #expect(answer.status == 400, "\(path): \(answer.text)")
        }
        let rows = try audit(admin)
        #expect(
            rows.map { $0["target"]?.stringValue } == [
                "triggers/%1B[2J", "documents/notes/..", "documents/notes/%00", "documents/notes/1%0A2026",
            ])
        #expect(rows.allSatisfy { $0["outcome"] == "bad-request" })
        // Nobody without a token leaves one.
        let stranger = try HTTPPeer(port: server.port)
        #expect(try stranger.request("DELETE", "/v1/triggers/%0A").status == 400)
        #expect(try audit(admin).count == 4)
    }

    @Test func `the row of a refusal counts in the bytes that its user may write`() throws {
        let server = try TestServer { $0.writeBytesAnHour = 1000 }
        defer { server.application.stop() }
        let mallory = Admin(try HTTPPeer(port: server.port), token: try server.token("mallory"))
        let follow: (Int) -> JSONValue = { ["type": "follow", "topic": "film:\($0)", "key": .string("k\($0)")] }
        let eve = Admin(try HTTPPeer(port: server.port), token: try server.token("eve"))
        for caller in [mallory, eve] { #expect(try caller.call("POST", "/v1/commands", follow(1)).status == 200) }
        let name = String(repeating: "x", count: 900)
        #expect(try mallory.call("PUT", "/v1/documents/notes/\(name)", [:]).status == 403)
        #expect(try mallory.call("POST", "/v1/commands", follow(2)).status == 429)
        #expect(try eve.call("POST", "/v1/commands", follow(2)).status == 200)
    }

    @Test func `actions are counted by their names`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        _ = try admin.call("POST", "/v1/users/mallory/kick", [:])
        _ = try admin.call("PUT", "/v1/documents/notes/1", text: "nonsense")
        let metrics = try admin.call("GET", "/metrics").text
        #expect(metrics.contains("watchwise_admin_actions_total{action=\"user.kick\"} 1\n"))
        #expect(metrics.contains("watchwise_admin_actions_total{action=\"document.put\"} 1\n"))
    }
}
