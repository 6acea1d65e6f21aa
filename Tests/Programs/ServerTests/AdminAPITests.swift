import JSON
import Server
import TestSupport
import Testing

/// The HTTP API, its rules and its refusals.
struct AdminAPITests {
    let server: TestServer
    let admin: Admin

    init() throws {
        server = try TestServer.shared.get()
        admin = try server.admin()
    }

    @Test func `a document is written, read with its ETag, patched and deleted`() throws {
        let path = "/v1/documents/products/\(server.name("p"))"
        let put = try admin.call("PUT", path, ["title": "The Matrix", "year": 1999])
        #expect(put.status == 200)
        let body = try put.json()
        #expect(body["path"] == .string(String(path.dropFirst("/v1/documents/".count))))
        #expect(body["version"] == 1)
        #expect(body["seq"] != nil)
        #expect(body["triggers"] != nil)
        #expect(put.headers["etag"] == "\"1\"")
        let get = try admin.call("GET", path)
        #expect(get.headers["content-type"] == "application/json")
        #expect(get.headers["etag"] == "\"1\"")
        #expect(try get.json()["data"] == ["title": "The Matrix", "year": 1999])
        let head = try admin.call("HEAD", path)
        #expect(head.status == 200)
        #expect(head.headers["content-length"] == get.headers["content-length"])
        let patch = try admin.call("PATCH", path, ["year": .null, "poster": "x"])
        #expect(try patch.json()["version"] == 2)
        let patched = try admin.call("GET", path).json()["data"]
        #expect(patched == ["title": "The Matrix", "poster": "x"])
        #expect(try admin.call("DELETE", path).status == 200)
        #expect(try admin.call("GET", path).status == 404)
    }

    @Test func `If-Match wrong is 412 and changes nothing, If-None-Match makes only what is not there`() throws {
        let path = "/v1/documents/products/\(server.name("p"))"
        let made = try admin.call("PUT", path, ["a": 1], headers: [("If-None-Match", "*")])
        #expect(made.status == 200)
        let again = try admin.call("PUT", path, ["a": 2], headers: [("If-None-Match", "*")])
        #expect(again.status == 412)
        let wrong = try admin.call("PUT", path, ["a": 2], headers: [("If-Match", "\"7\"")])
        #expect(wrong.status == 412)
        #expect(try wrong.json()["code"] == "conflict")
        #expect(try admin.call("DELETE", path, headers: [("If-Match", "\"7\"")]).status == 412)
        #expect(try admin.call("GET", path).json()["data"] == ["a": 1])
        #expect(try admin.call("PUT", path, ["a": 2], headers: [("If-Match", "\"1\"")]).status == 200)
        let malformed = try admin.call("PUT", path, ["a": 3], headers: [("If-Match", "abc")])
        #expect(malformed.status == 400)
        #expect(try malformed.json()["field"] == "If-Match")
    }

    @Test(arguments: [(#""1""#, 304), (#"W/"1""#, 304), (#""7", W/"1""#, 304), ("*", 304), (#""2""#, 200), ("1", 200)])
    func `a document that the client has already is 304 without a body`(_ held: String, _ status: Int) throws {
        let path = "/v1/documents/products/\(server.name("p"))"
        #expect(try admin.call("PUT", path, ["a": 1]).status == 200)
        for method in ["GET", "HEAD"] {
            let answer = try admin.call(method, path, headers: [("If-None-Match", held)])
            #expect(answer.status == status && answer.headers["etag"] == "\"1\"")
            #expect(
                answer.headers["content-length"] == (status == 304 ? nil : "\(answer.headers["content-length"] ?? "")"))
        }
        #expect(try admin.call("GET", "/v1/documents/products/none", headers: [("If-None-Match", held)]).status == 404)
    }

    @Test(arguments: [
        (#"{"writes":[{"op":"put","path":"a/b","data":{},"ifversion":3}]}"#, "writes[0].ifversion"),
        (#"{"writes":[{"op":"delete","path":"a/b","key":1}]}"#, "writes[0].key"),
        (#"{"writes":[{"op":"put","path":"a/b","data":{}}],"atomic":true}"#, "atomic"),
    ])
    func `a member that a batch does not have is refused by name`(_ body: String, _ field: String) throws {
        let refused = try admin.call("POST", "/v1/documents", JSONValue(parsing: Array(body.utf8)))
        #expect(try refused.status == 400 && refused.json()["field"] == .string(field), "\(refused.text)")
    }

    @Test(arguments: [
        ("PUT", "/v1/documents/a/b?ifversion=1", "ifversion is no parameter of this path; did you mean 'ifVersion'?"),
        ("DELETE", "/v1/users/bob/restrictions?type=ban", "type is no parameter of this path"),
        ("POST", "/v1/broadcasts?dryRun=true", "dryRun is no parameter of this path, which has none"),
    ])
    func `a parameter that a write does not have is refused, and nothing is written`(
        _ method: String, _ target: String, _ detail: String
    ) throws {
        // A server of its own: on the shared one others write meanwhile.
        let own = try TestServer { _ in }
        defer { own.application.stop() }
        let admin = try own.admin()
        let before = try admin.head()
        let refused = try admin.call(method, target, ["audience": "everyone", "title": "x"])
        #expect(refused.status == 400 && refused.text.contains(detail), "\(refused.text)")
        #expect(try admin.head() == before)
    }

    @Test func `a user whom clients remove from paths has a form there`() throws {
        for name in ["~..", "~."] {
            let unknown = try admin.call("PUT", "/v1/users/\(name)/restrictions", ["kind": "ban", "reason": "spam"])
            #expect(unknown.status != 400 && unknown.text.contains(String(name.dropFirst())), "\(unknown.text)")
        }
        #expect(try admin.call("GET", "/v1/users/%2e%2e/preferences").status == 400, "clients remove it")
    }

    @Test func `ifVersion of the query is honoured`() throws {
        let path = "/v1/documents/products/\(server.name("p"))"
        #expect(try admin.call("PUT", path + "?ifVersion=0", ["a": 1]).status == 200)
        #expect(try admin.call("PUT", path + "?ifVersion=0", ["a": 2]).status == 409)
        #expect(try admin.call("PATCH", path + "?ifVersion=7", ["a": 2]).status == 409)
        #expect(try admin.call("PATCH", path + "?ifVersion=1", ["a": 2]).status == 200)
        for wrong in ["x", "-1", ""] {
            let refused = try admin.call("PUT", path + "?ifVersion=\(wrong)", ["a": 3])
            #expect(refused.status == 400)
            #expect(try refused.json()["field"] == "ifVersion")
        }
        let both = try admin.call("PUT", path + "?ifVersion=1", ["a": 3], headers: [("If-Match", "\"2\"")])
        #expect(both.status == 400)
        #expect(try admin.call("GET", path).json()["data"] == ["a": 2])
    }

    @Test func `Idempotency-Key replays the first answer, and with other content is 422`() throws {
        let path = "/v1/documents/products/\(server.name("p"))"
        let key = [("Idempotency-Key", server.name("key"))]
        let first = try admin.call("PUT", path, ["a": 1], headers: key)
        _ = try admin.call("PUT", path, ["a": 5])
        let again = try admin.call("PUT", path, ["a": 1], headers: key)
        #expect(again.status == first.status)
        #expect(again.body == first.body)
        #expect(try admin.call("GET", path).json()["data"] == ["a": 5])
        let other = try admin.call("PUT", path, ["a": 2], headers: key)
        #expect(other.status == 422)
        #expect(try other.json()["code"] == "key-reused")
        #expect(try admin.call("PUT", path, ["a": 9], headers: [("Idempotency-Key", "a b")]).status == 400)
    }

    @Test func `a batch with one bad write changes nothing`() throws {
        let one = "products/\(server.name("p"))"
        let good: JSONValue = ["op": "put", "path": .string(one), "data": ["a": 1]]
        for (bad, field) in [
            (["op": "put", "path": "products", "data": [:]], "writes[1].path"),
            (["op": "dance", "path": "products/x", "data": [:]], "writes[1].op"),
            (["op": "put", "path": "products/x"], "writes[1].data"),
            (["op": "put", "path": "products/x", "data": 5], "writes[1].data"),
            (["op": "put", "data": [:]], "writes[1].path"),
            (["op": "put", "path": "products/x", "data": [:], "ifVersion": -1], "writes[1].ifVersion"),
            (["op": "put", "path": "products/x", "data": [:], "ifVersion": 77], nil),
            (["op": "put", "path": "chats/a:b/messages/1", "data": [:]], nil),
        ] as [(JSONValue, String?)] {
            let answer = try admin.call("POST", "/v1/documents", ["writes": [good, bad]])
            #expect([400, 403, 409].contains(answer.status), "\(bad.text): \(answer.text)")
            if let field { #expect(try answer.json()["field"] == .string(field)) }
            #expect(try admin.call("GET", "/v1/documents/\(one)").status == 404, "\(bad.text)")
        }
        let both = try admin.call(
            "POST",
            "/v1/documents",
            ["writes": [good, ["op": "put", "path": .string("\(one)x"), "data": [:]]]]
        )
        #expect(both.status == 200)
        #expect(try admin.call("GET", "/v1/documents/\(one)").status == 200)
    }

    @Test func `a problem is a document of RFC 9457 with the contract's code and class`() throws {
        let answer = try admin.call("GET", "/v1/documents/products/none-such")
        #expect(answer.status == 404)
        #expect(answer.headers["content-type"] == "application/problem+json")
        let problem = try answer.json()
        #expect(problem["type"]?.stringValue?.contains("not-found") == true)
        #expect(problem["title"] == "Not Found")
        #expect(problem["status"] == 404)
        #expect(problem["detail"]?.stringValue?.isEmpty == false)
        #expect(problem["code"] == "not-found")
        #expect(problem["class"] == "permanent")
    }

    @Test(arguments: [
        ("GET", "/v1/stats"), ("PUT", "/v1/documents/products/1"), ("GET", "/v1/triggers"), ("GET", "/v1/dead"),
        ("POST", "/v1/broadcasts"), ("GET", "/v1/documents?collection=products"),
    ])
    func `without the right token the server shows nothing and does nothing`(_ method: String, _ target: String) throws
    {
        let peer = try HTTPPeer(port: server.port)
        let user = try server.token(server.name("alice"))
        let expired = try server.token("operator", isAdmin: true, validMilliseconds: -1000)
        let other = try TestServer { _ in }
        defer { other.application.stop() }
        for (token, status, code) in [
            (nil, 401, "unauthenticated"), ("nonsense", 401, "unauthenticated"), (user, 403, "forbidden"),
            (expired, 401, "token-expired"), (try other.token("operator", isAdmin: true), 401, "unauthenticated"),
        ] as [(String?, Int, String)] {
            let answer = try Admin(peer, token: token).call(method, target, method == "GET" ? nil : [:])
            #expect(answer.status == status)
            #expect(try answer.json()["code"] == .string(code))
            #expect(status != 401 || answer.headers["www-authenticate"] == "Bearer")
        }
        let basic = try peer.request(method, target, headers: [("Authorization", "Basic b3A6cHc=")])
        #expect(basic.status == 401)
    }

    @Test(arguments: [
        ("POST", "/v1/documents/products/1"), ("PUT", "/v1/documents"), ("POST", "/v1/triggers/x"),
        ("DELETE", "/v1/triggers"), ("PATCH", "/v1/broadcasts"), ("PUT", "/v1/broadcasts/1"), ("POST", "/v1/stats"),
        ("POST", "/v1/dead"), ("POST", "/healthz"), ("DELETE", "/metrics"), ("PUT", "/readyz"),
        ("OPTIONS", "/v1/documents/products/1"),
    ])
    func `a wrong method is 405 and Allow names the right ones`(_ method: String, _ target: String) throws {
        let answer = try admin.call(method, target, [:])
        #expect(answer.status == 405)
        let allow = try #require(answer.headers["allow"]).split(separator: ",")
        #expect(!allow.isEmpty)
        #expect(!allow.contains { $0.hasSuffix(method) })
    }

    @Test(arguments: ["/v1", "/v1/nothing", "/v2/stats", "/v1/stats/more", "/healthz/x", "/v1/triggers/a/b"])
    func `an unknown thing is 404 as a problem`(_ target: String) throws {
        let answer = try admin.call("GET", target)
        #expect(answer.status == 404)
        #expect(try answer.json()["code"] == "not-found")
    }

    @Test func `the open pages are open`() throws {
        let peer = try HTTPPeer(port: server.port)
        #expect(try peer.request("GET", "/healthz").text == "ok\n")
        #expect(try peer.request("GET", "/readyz").text == "ready\n")
        let metrics = try peer.request("GET", "/metrics")
        #expect(metrics.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        #expect(metrics.text.contains("\nwatchwise_commits_total "))
        let head = try peer.request("HEAD", "/healthz")
        #expect(head.status == 200)
        #expect(head.headers["content-length"] == "3")
    }

    @Test func `a broadcast says how many it reaches, dry or not`() throws {
        let user = server.name("alice")
        let device = try server.device(user)
        let body: JSONValue = ["audience": .string("user:\(user)"), "title": "T", "dryRun": true]
        let dry = try admin.call("POST", "/v1/broadcasts", body)
        #expect(dry.status == 202)
        try device.settle()
        #expect(device.durable.isEmpty)
        let real = try admin.call("POST", "/v1/broadcasts", ["audience": .string("user:\(user)"), "title": "T"])
        #expect(real.status == 202)
        let id = try #require(try real.json()["id"])
        try device.event("notification")
        let number = id.stringValue ?? id.integerValue.map { String($0) } ?? ""
        #expect(try admin.call("GET", "/v1/broadcasts/\(number)").status == 200)
        #expect(try admin.call("GET", "/v1/broadcasts/999999999").status == 404)
        #expect(try admin.call("GET", "/v1/broadcasts/x").status == 404)
    }
}

/// Requests that must be refused with the field's name, on a server whose log no other test changes.
struct BadRequestTests {
    @Test func `every bad request names what is wrong and writes nothing`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let before = try admin.head()
        for (method, target, body, field) in Self.all {
            let answer = try admin.call(method, target, text: body)
            #expect(answer.status == 400, "\(method) \(target) \(body.prefix(100)) \(answer.text)")
            let problem = try answer.json()
            #expect(problem["code"] == "bad-request", "\(method) \(target) \(body.prefix(100))")
            #expect(problem["class"] == "permanent")
            if let field {
                #expect(problem["field"] == .string(field), "\(method) \(target) \(body.prefix(100)) \(answer.text)")
            }
        }
        #expect(try admin.head() == before)
        #expect(try admin.call("GET", "/v1/triggers/t").status == 404)
    }

    @Test func `a trigger's mistake is answered with its place`() throws {
        let server = try TestServer.shared.get()
        let answer = try server.admin().call(
            "PUT",
            "/v1/triggers/t",
            text: trigger(#""condition":"after.year >> 1 AND (""#)
        )
        #expect(answer.status == 400)
        let problem = try answer.json()
        #expect(problem["field"] == "condition")
        #expect(problem["detail"]?.stringValue?.isEmpty == false)
    }

    @Test func `a document too large is 413`() throws {
        let server = try TestServer.shared.get()
        let text = #"{"a":"\#(String(repeating: "x", count: 65_536))"}"#
        let answer = try server.admin().call("PUT", "/v1/documents/products/large", text: text)
        #expect(answer.status == 413)
        #expect(try answer.json()["code"] == "too-large")
    }

    @Test func `a body too large is refused at its head`() throws {
        let server = try TestServer.shared.get()
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send("PUT /v1/documents/a/b HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n")
        #expect(try peer.answer().status == 413)
        #expect(try peer.isEnded())
    }

    private static func trigger(_ member: String) -> String {
        let members = [
            #""event":"create""#, #""path":"products/{product}""#, #""audience":"everyone""#, #""kind":"k""#,
            #""title":"T""#,
        ]
        let name = member.split(separator: ":").first ?? ""
        return "{" + (members.filter { !$0.hasPrefix(String(name) + ":") } + [member]).joined(separator: ",") + "}"
    }

    private func trigger(_ member: String) -> String { Self.trigger(member) }

    static let all: [(String, String, String, String?)] = documents + triggers + broadcasts

    private static let documents: [(String, String, String, String?)] = [
        ("PUT", "/v1/documents/products", "{}", "path"), ("PUT", "/v1/documents/a/b/c", "{}", "path"),
        ("PUT", "/v1/documents/a//b", "{}", "path"), ("PUT", "/v1/documents/a/b%20c", "{}", "path"),
        ("GET", "/v1/documents/products", "", "path"),
        ("PUT", "/v1/documents/a/1/a/2/a/3/a/4/a/5/a/6/a/7/a/8/a/9", "{}", "path"),
        ("PUT", "/v1/documents/products/1", "", nil), ("PUT", "/v1/documents/products/1", "nonsense", nil),
        ("PUT", "/v1/documents/products/1", "[]", nil), ("PUT", "/v1/documents/products/1", "5", nil),
        ("PUT", "/v1/documents/products/1", #"{"a":1,"a":2}"#, "a"),
        ("PUT", "/v1/documents/products/1", #"{"a":{"b":1,"b":2}}"#, "a.b"),
        ("PATCH", "/v1/documents/products/1", "[]", nil),
        (
            "PUT", "/v1/documents/products/1",
            #"{"a":"# + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + "}", nil
        ),
        ("GET", "/v1/documents", "", "collection"), ("GET", "/v1/documents?collection=a/b", "", "collection"),
        ("GET", "/v1/documents?collection=products&limit=0", "", "limit"),
        ("GET", "/v1/documents?collection=products&limit=x", "", "limit"),
        ("POST", "/v1/documents", "{}", "writes"), ("POST", "/v1/documents", #"{"writes":[]}"#, "writes"),
        ("POST", "/v1/documents", #"{"writes":{}}"#, "writes"), ("POST", "/v1/documents", "[]", nil),
    ]

    private static let triggers: [(String, String, String, String?)] = [
        ("PUT", "/v1/triggers/t", trigger(#""condition":"1 +""#), "condition"),
        ("PUT", "/v1/triggers/t", trigger(#""condition":"load_extension('x')""#), "condition"),
        ("PUT", "/v1/triggers/t", trigger(#""condition":"nobody.knows""#), "condition"),
        ("PUT", "/v1/triggers/t", trigger(#""condition":"(SELECT 1 FROM users)""#), "condition"),
        ("PUT", "/v1/triggers/t", trigger(#""condition":5"#), "condition"),
        ("PUT", "/v1/triggers/t", trigger(#""title":"{{#open}}""#), "title"),
        ("PUT", "/v1/triggers/t", trigger(#""event":"burn""#), "event"),
        ("PUT", "/v1/triggers/t", trigger(#""path":"products/{a b}""#), "path"),
        ("PUT", "/v1/triggers/t", trigger(#""path":"products""#), "path"),
        ("PUT", "/v1/triggers/t", trigger(#""audience":"nobody""#), "audience"),
        ("PUT", "/v1/triggers/t", trigger(#""level":"loud""#), "level"),
        ("PUT", "/v1/triggers/t", trigger(#""colour":"red""#), "colour"),
        ("PUT", "/v1/triggers/t", trigger(#""enabled":"yes""#), "enabled"),
        ("PUT", "/v1/triggers/t", "[]", nil), ("PUT", "/v1/triggers/t", "", nil),
    ]

    private static let broadcasts: [(String, String, String, String?)] = [
        ("POST", "/v1/broadcasts", "{}", "audience"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone"}"#, "title"),
        ("POST", "/v1/broadcasts", #"{"audience":"somebody","title":"T"}"#, "audience"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":5}"#, "title"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":""}"#, "title"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":{"en":5}}"#, "title.en"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":{"not a tag":"x"}}"#, "title.not a tag"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","level":"loud"}"#, "level"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","data":[]}"#, "data"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","expires":"tomorrow"}"#, "expires"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","expires":"2026-01-01T00:00:00Z"}"#, "expires"),
        (
            "POST", "/v1/broadcasts",
            #"{"audience":"everyone","title":"T","expires":"2026-01-01T00:00:00Z","dryRun":true}"#, "expires"
        ),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","dryRun":"yes"}"#, "dryRun"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","at":5}"#, "at"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","at":"tomorrow"}"#, "at"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","at":"2030-01-01"}"#, "at"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","at":"2026-01-01T00:00:00Z"}"#, "at"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","at":"2126-01-01T00:00:00Z"}"#, "at"),
        ("POST", "/v1/broadcasts", #"{"audience":"online","title":"T"}"#, "expires"),
        ("POST", "/v1/broadcasts", #"{"audience":"online","title":"T","expires":"2126-01-01T00:00:00Z"}"#, "expires"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","collapse":""}"#, "collapse"),
        ("POST", "/v1/broadcasts", #"{"audience":"everyone","title":"T","colour":"red"}"#, "colour"),
    ]
}
