import Authentication
import JSON
import Model
import Server
import TestSupport
import Testing

/// Tokens with a scope of operators: they are for programs, and no user's.
struct ProgramTokenTests {
    private static func answers(_ token: String, on server: TestServer) throws -> [Int] {
        let caller = Admin(try HTTPPeer(port: server.port), token: token)
        return [
            try caller.call("POST", "/v1/commands", ["type": "follow", "topic": "user:alice", "key": "k"]).status,
            try caller.call("POST", "/v1/commands", ["type": "chats"]).status,
        ]
    }

    @Test(arguments: Scope.allCases) func `a program's token is no person, unless it says so`(_ scope: Scope) throws {
        let server = try TestServer.shared.get()
        let name = server.name("program")
        let token = try server.token(name, scopes: [scope.rawValue])
        let device = try server.connect()
        let refused = try device.refused(Device.helloCommand(token: token))
        #expect(refused["code"] == "forbidden" && refused["field"] == "token")
        #expect(refused["message"]?.stringValue?.contains("the scope \(scope.rawValue) is no user's") == true)
        let header = try server.connect(headers: [("Authorization", "Bearer \(token)")])
        #expect(try header.refused(["type": "hello"])["code"] == "forbidden")
        #expect(try Self.answers(token, on: server) == [403, 403])
        let events = try Admin(HTTPPeer(port: server.port), token: token).call("GET", "/v1/events")
        #expect(events.status == 403)
        #expect(try events.json()["field"] == "token")

        let both = try server.token(name, scopes: [scope.rawValue, Claims.userScope])
        try server.connect().hello(token: both)
        #expect(try Self.answers(both, on: server) == [200, 200])
    }

    @Test func `a session is not renewed with a program's token, and goes on with its own`() throws {
        let server = try TestServer.shared.get()
        let name = server.name("alice")
        let device = try server.device(name)
        let refused = try device.refused(Device.helloCommand(token: try server.token(name, scopes: ["admin"])))
        #expect(refused["code"] == "forbidden")
        try device.ok(["type": "ping"])
    }

    @Test func `words that are not operators' change nothing`() throws {
        let server = try TestServer.shared.get()
        let token = try server.token(server.name("alice"), scopes: ["openid", "profile", "user", "admin:nothing"])
        try server.connect().hello(token: token)
        #expect(try Self.answers(token, on: server) == [200, 200])
        let stats = try Admin(HTTPPeer(port: server.port), token: token).call("GET", "/v1/stats")
        #expect(stats.status == 403, "the word user opens nothing")
    }

    // MARK: What publishing and operating do not open

    private func caller(_ server: TestServer, _ scopes: Set<String>) throws -> Admin {
        Admin(try HTTPPeer(port: server.port), token: try server.token(server.name("p"), scopes: scopes))
    }

    @Test func `a program that may publish gives no roles and changes no reports`() throws {
        let server = try TestServer.shared.get()
        let publisher = try caller(server, ["admin:publish"])
        let operating = try caller(server, ["admin:publish", "admin:operate"])
        let admin = try server.admin()
        let (role, report) = ("roles/\(server.name("r"))/users/eve", "reports/\(server.name("x"))")
        for (path, isOpen) in [(role, true), (report, false)] {
            for method in ["PUT", "PATCH", "DELETE"] {
                let answer = try publisher.call(method, "/v1/documents/\(path)", method == "DELETE" ? nil : ["a": 1])
                #expect(answer.status == 403, "\(method) \(path)")
                #expect(try answer.json()["field"] == "path")
            }
            for op in ["put", "patch", "delete"] {
                var write: JSONValue = ["op": .string(op), "path": .string(path)]
                if op != "delete" { write["data"] = ["a": 1] }
                let writes: JSONValue = [["op": "put", "path": "notes/1", "data": [:]], write]
                let answer = try publisher.call("POST", "/v1/documents", ["writes": writes])
                #expect(answer.status == 403, "\(op) \(path)")
                #expect(try answer.json()["field"] == "writes[1].path")
            }
            #expect(try admin.call("GET", "/v1/documents/\(path)").status == 404)
            #expect(try operating.call("PUT", "/v1/documents/\(path)", ["a": 1]).status == (isOpen ? 200 : 403))
            #expect(try admin.call("PUT", "/v1/documents/\(path)", ["a": 2]).status == 200)
            #expect(try admin.call("DELETE", "/v1/documents/\(path)").status == 200)
        }
        #expect(try publisher.call("PUT", "/v1/documents/rolesets/1", ["a": 1]).status == 200)
    }

    @Test func `a trial of a trigger on a chat needs admin and a reason, and the audit has both`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let pair = try server.pair()
        try pair.bobPhone.ok(["type": "send", "chat": .string(pair.chat), "text": "PIN 4711", "key": "pin"])
        let (operating, admin) = (try caller(server, ["admin:operate"]), try server.admin())
        let path = "chats/\(pair.chat)/messages/2"
        let row: JSONValue = [
            "event": "write", "path": "chats/{chat}/messages/{n}", "audience": "user:nobody",
            "title": "{{after.from}}: {{after.text}}",
        ]
        var trial: JSONValue = ["path": .string(path), "row": row, "reason": "no push came"]
        let refused = try operating.call("POST", "/v1/triggers/t/test", trial)
        #expect(refused.status == 403 && !refused.text.contains("4711"), "\(refused.text)")
        trial["reason"] = .some(.null)
        let silent = try admin.call("POST", "/v1/triggers/t/test", trial)
        #expect(silent.status == 400 && !silent.text.contains("4711"))
        #expect(try silent.json()["field"] == "reason")
        trial["reason"] = "no push came"
        #expect(try admin.call("POST", "/v1/triggers/t/test", trial).text.contains("PIN 4711"))
        for other in ["recommendations/\(pair.chat)-1", "chats/\(pair.chat)"] {
            let answer = try operating.call("POST", "/v1/triggers/t/test", ["path": .string(other), "after": [:]])
            #expect(answer.status == 403, "\(other)")
        }
        let rows = try admin.call("GET", "/v1/audit?action=trigger.test").json()["audit"]?.arrayValue ?? []
        #expect(rows.count == 5)
        #expect(rows[2]["outcome"] == "ok" && rows[2]["target"] == "triggers/t")
        #expect(rows[2]["detail"] == ["path": .string(path), "reason": "no push came"])
    }

    @Test(arguments: [true, false]) func `a replay on chats needs them as well`(_ isDry: Bool) throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        _ = try server.pair()
        let (operating, admin) = (try caller(server, ["admin:operate"]), try server.admin())
        let row: JSONValue = [
            "event": "write", "path": "recommendations/{id}", "audience": "user:alice", "title": "{{after.note}}",
        ]
        #expect(try operating.call("PUT", "/v1/triggers/t", row).status == 200)
        var body: JSONValue = ["from": 1, "dryRun": .bool(isDry)]
        #expect(try admin.call("POST", "/v1/triggers/t/replay", body).json()["field"] == "reason")
        body["reason"] = "they were lost"
        #expect(try operating.call("POST", "/v1/triggers/t/replay", body).status == 403)
        #expect(try admin.call("POST", "/v1/triggers/t/replay", body).status == 200)
    }
}
