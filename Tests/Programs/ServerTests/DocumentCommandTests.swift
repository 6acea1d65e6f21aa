import Configuration
import Execution
import JSON
import Server
import TestSupport
import Testing

/// Documents by client commands, on a server with the rules of a few applications.
struct DocumentCommandTests {
    /// Rules that need no server of their own; each test uses users and ids of its own.
    static let server = Result {
        try TestServer {
            $0.rules =
                (try? AccessRules([
                    "users/{user}": ["read": "public", "write": "owner"], "users/{user}/tasks/{task}": "owner",
                    "stations/{id}": "followers", "stations/{id}/sensors/{sensor}": "followers",
                    "announcements/{id}": "public", "items/{id}": "public", "heavy/{id}": "public",
                ])) ?? AccessRules()
        }
    }

    let server: TestServer

    init() throws { server = try Self.server.get() }

    @Test func `an owner puts, gets, patches and removes, in versions`() throws {
        let name = server.name("alice")
        let device = try server.device(name)
        let path = JSONValue.string("users/\(name)/tasks/1")
        let put = try device.ok(["type": "put", "path": path, "data": ["title": "Buy", "n": 1], "key": "k1"])
        #expect(put["path"] == path)
        #expect(put["version"] == 1)
        #expect(put["triggers"] == nil)
        #expect(put["data"] == nil)
        let got = try device.ok(["type": "get", "path": path])
        #expect(got["data"] == ["title": "Buy", "n": 1])
        #expect(got["seq"] == put["seq"])
        let patched = try device.ok([
            "type": "patch", "path": path, "data": ["n": .null, "done": true], "ifVersion": 1, "key": "k2",
        ])
        #expect(patched["version"] == 2)
        #expect(patched["data"] == ["title": "Buy", "done": true])
        #expect(try device.ok(["type": "remove", "path": path, "ifVersion": 2, "key": "k3"])["version"] == 3)
        #expect(try device.refused(["type": "get", "path": path])["code"] == "not-found")
        #expect(try device.refused(["type": "remove", "path": path, "key": "k4"])["code"] == "not-found")
        // The same write again, with its key, gets its first reply.
        let again = try device.ok(["type": "put", "path": path, "data": ["title": "Buy", "n": 1], "key": "k1"])
        #expect(again == put)
    }

    @Test func `a conflict tells what is there, so that two writers can merge`() throws {
        let name = server.name("alice")
        let device = try server.device(name)
        let path = JSONValue.string("users/\(name)/tasks/1")
        let none = try device.refused([
            "type": "patch", "path": path, "data": ["a": 1], "ifVersion": 1, "key": "c0",
        ])
        #expect(none["version"] == 0)
        #expect(none["data"] == .null)
        try device.ok(["type": "put", "path": path, "data": ["a": 1], "ifVersion": 0, "key": "c1"])
        let error = try device.refused(["type": "put", "path": path, "data": ["a": 2], "ifVersion": 0, "key": "c2"])
        #expect(error["code"] == "conflict")
        #expect(error["class"] == "permanent")
        #expect(error["field"] == "ifVersion")
        #expect(error["version"] == 1)
        #expect(error["data"] == ["a": 1])
    }

    @Test func `a user that no rule names neither reads nor writes, whether the document exists or not`() throws {
        let (alice, bob) = (server.name("alice"), server.name("bob"))
        let (owner, stranger) = (try server.device(alice), try server.device(bob))
        try owner.ok(["type": "put", "path": .string("users/\(alice)/tasks/1"), "data": ["a": 1], "key": "i1"])
        for id in ["1", "2"] {
            let path = JSONValue.string("users/\(alice)/tasks/\(id)")
            for read in ["get", "watch"] {
                let error = try stranger.refused(["type": .string(read), "path": path])
                #expect(error["code"] == "not-found")
                #expect(error["field"] == "path")
            }
            for version: JSONValue in [0, 1, 7] {
                let error = try stranger.refused([
                    "type": "put", "path": path, "data": [:], "ifVersion": version, "key": "i2",
                ])
                #expect(error["code"] == "forbidden")
                #expect(error["version"] == nil)
            }
            #expect(try stranger.refused(["type": "remove", "path": path, "key": "i3"])["code"] == "forbidden")
        }
        #expect(
            try stranger.refused(["type": "watch", "path": .string("users/\(alice)/tasks")])["code"] == "not-found")
        let readable = try stranger.refused(["type": "put", "path": "items/1", "data": [:], "key": "i4"])
        #expect(readable["code"] == "forbidden")
        for standing in ["chats/\(alice):\(bob)/messages/1", "users/\(alice)/followers/\(bob)", "chats/a:b/messages"] {
            #expect(try stranger.refused(["type": "watch", "path": .string(standing)])["code"] == "not-found")
        }
        let follow = JSONValue.string("users/\(alice)/followers/\(bob)")
        #expect(try stranger.refused(["type": "put", "path": follow, "data": [:], "key": "i5"])["code"] == "forbidden")
    }

    @Test func `a command fires the triggers that an HTTP write does`() throws {
        let name = server.name("alice")
        let device = try server.device(name)
        let admin = try server.admin()
        let trigger = "task-\(name)"
        let row: JSONValue = [
            "event": "create", "path": "users/{user}/tasks/{task}", "condition": .string("user = '\(name)'"),
            "audience": "user:{user}", "kind": "task", "title": "New: {{after.title}}",
        ]
        #expect(try admin.call("PUT", "/v1/triggers/\(trigger)", row).status == 200)
        try device.ok(["type": "put", "path": .string("users/\(name)/tasks/1"), "data": ["title": "X"], "key": "t"])
        #expect(try device.event("notification")["title"] == "New: X")
        #expect(try admin.call("DELETE", "/v1/triggers/\(trigger)").status == 200)
    }

    @Test func `commands are posted too, all but those that need a session`() throws {
        let name = server.name("alice")
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token(name))
        let path = JSONValue.string("users/\(name)/tasks/1")
        let put = try user.call(
            "POST", "/v1/commands", ["type": "put", "path": path, "data": ["a": 1], "key": "p"])
        #expect(try put.json()["ok"]?["version"] == 1)
        #expect(try user.call("POST", "/v1/commands", ["type": "get", "path": path]).json()["ok"]?["data"] == ["a": 1])
        let conflict = try user.call(
            "POST", "/v1/commands", ["type": "remove", "path": path, "ifVersion": 2, "key": "q"])
        #expect(conflict.status == 409)
        #expect(try conflict.json()["data"] == ["a": 1])
        for name in ["watch", "unwatch", "device"] {
            let refused = try user.call(
                "POST", "/v1/commands", ["type": .string(name), "path": path, "remove": true])
            #expect(refused.status == 400)
            #expect(try refused.json()["field"] == "type")
        }
    }

    @Test
    func `a document that only a field opens can be read by its member, and the answer says that nobody can watch it`()
        throws
    {
        let rules = try AccessRules(["loans/{id}": ["read": "field:member"]])
        let server = try TestServer { $0.rules = rules }
        defer { server.application.stop() }
        let admin = try server.admin()
        _ = try admin.call("PUT", "/v1/documents/loans/1", ["member": "alice"])
        let (alice, bob) = (try server.device("alice"), try server.device("bob"))
        #expect(try alice.ok(["type": "get", "path": "loans/1"])["data"] == ["member": "alice"])
        #expect(try bob.refused(["type": "get", "path": "loans/1"])["code"] == "not-found")
        for path: JSONValue in ["loans", "loans/1", "loans/2"] {
            for device in [alice, bob] {
                let refused = try device.refused(["type": "watch", "path": path])
                #expect(refused["code"] == "forbidden")
                #expect(refused["field"] == "path")
            }
        }
        // A watch that the earlier rules allowed ends.
        let open: JSONValue = ["rules": ["loans/{id}": "public"]]
        #expect(try admin.call("PUT", "/v1/rules", open).status == 200)
        try bob.ok(["type": "watch", "path": "loans"])
        #expect(try admin.call("PUT", "/v1/rules", ["rules": .object(rules.json)]).status == 200)
        #expect(try bob.event("unwatched")["path"] == "loans")
    }

    @Test func `rules are put at run time, in versions, by administrators`() throws {
        let server = try TestServer { $0.rules = (try? AccessRules(["items/{id}": "public"])) ?? AccessRules() }
        defer { server.application.stop() }
        let admin = try server.admin()
        let configured = try admin.call("GET", "/v1/rules")
        #expect(try configured.json() == ["version": 0, "rules": ["items/{id}": "public"]])
        let device = try server.device("alice")
        _ = try admin.call("PUT", "/v1/documents/items/1", ["a": 1])
        #expect(try device.ok(["type": "get", "path": "items/1"])["data"] == ["a": 1])
        let body: JSONValue = ["rules": ["users/{user}/tasks/{task}": "owner"]]
        let put = try admin.call("PUT", "/v1/rules", body, headers: [("If-None-Match", "*")])
        #expect(put.status == 200)
        #expect(put.headers["etag"] == "\"1\"")
        #expect(try device.refused(["type": "get", "path": "items/1"])["code"] == "not-found")
        try device.ok(["type": "put", "path": "users/alice/tasks/1", "data": [:], "key": "r"])
        #expect(try admin.call("PUT", "/v1/rules", body, headers: [("If-Match", "\"7\"")]).status == 412)
        for (bad, field) in [
            (["rules": ["x/{a}": "owner"]], "rules.x/{a}"), (["rules": 5], "rules"), ([:], "rules"),
            (["rules": [:], "more": 1], "more"),
        ] as [(JSONValue, String)] {
            let refused = try admin.call("PUT", "/v1/rules", bad)
            #expect(refused.status == 400)
            #expect(try refused.json()["field"] == .string(field))
        }
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token("alice"))
        #expect(try user.call("GET", "/v1/rules").status == 403)
        #expect(try admin.call("DELETE", "/v1/rules").status == 405)
    }
}
