import JSON
import TestSupport
import Testing

/// Working on triggers over HTTP: test, runs, replay, explain, and counts.
struct TriggerWorkTests {
    let server: TestServer
    let admin: Admin
    /// The name of a collection and a trigger that no other test has.
    let name: String
    let collection: String

    init() throws {
        server = try TestServer.shared.get()
        admin = try server.admin()
        name = server.name("work")
        collection =
            name.filter(\.isLetter) + "s"
            + name.filter(\.isNumber).map { digit in
                String(UnicodeScalar(UInt8(ascii: "a") + UInt8(digit.wholeNumberValue ?? 0)))
            }.joined()
    }

    private func row(_ user: String) -> JSONValue {
        [
            "event": "write", "path": .string("\(collection)/{item}"), "condition": "after->>'a' > 1",
            "audience": .string("user:\(user)"), "title": ["en": "{{item}}", "it": "{{item}}!"],
        ]
    }

    private func put(_ item: String, _ value: Int64) throws -> Int64 {
        let answer = try admin.call("PUT", "/v1/documents/\(collection)/\(item)", ["a": .integer(value)])
        return try #require(try answer.json()["seq"]?.integerValue)
    }

    @Test func `a test shows what would come to a device, and nothing does`() throws {
        let user = server.name("alice")
        let device = try server.device(user)
        #expect(try admin.call("PUT", "/v1/triggers/\(name)", row(user)).status == 200)
        let before = try admin.head()
        let body: JSONValue = ["path": .string("\(collection)/x"), "after": ["a": 2]]
        let answer = try admin.call("POST", "/v1/triggers/\(name)/test", body)
        #expect(answer.status == 200)
        let test = try answer.json()
        #expect(test["outcome"] == "notify")
        #expect(test["recipients"]?.arrayValue?.first?["user"] == .string(user))
        #expect(test["recipients"]?.arrayValue?.first?["title"] == "x")
        #expect(try admin.head() >= before)
        try device.settle()
        #expect(device.durable.isEmpty)
        var broken = body
        broken["row"] = row(user)
        broken["row"]?["condition"] = "after->>"
        let refused = try admin.call("POST", "/v1/triggers/\(name)/test", broken)
        #expect(refused.status == 400)
        #expect(try refused.json()["field"] == "row.condition")
    }

    @Test func `documents that were written before a row came are replayed: dry, then once, and the device gets it`()
        throws
    {
        let user = server.name("alice")
        let device = try server.device(user)
        let from = try put("x", 2)
        let to = try put("y", 1)
        #expect(try admin.call("PUT", "/v1/triggers/\(name)", row(user)).status == 200)
        var body: JSONValue = ["from": .integer(from), "to": .integer(to)]
        let dry = try admin.call("POST", "/v1/triggers/\(name)/replay", body).json()
        #expect([dry["dryRun"], dry["sent"], dry["skipped"]] == [true, 1, 1])
        try device.settle()
        #expect(device.durable.isEmpty)
        body["dryRun"] = false
        let key = [("Idempotency-Key", server.name("key"))]
        let done = try admin.call("POST", "/v1/triggers/\(name)/replay", body, headers: key)
        #expect(try done.json()["sent"] == 1)
        #expect(try admin.call("POST", "/v1/triggers/\(name)/replay", body, headers: key).body == done.body)
        #expect(try admin.call("POST", "/v1/triggers/\(name)/replay", body).json()["sent"] == 0)
        let event = try device.event("notification")
        #expect(event["title"] == "x")
        let runs = try admin.call("GET", "/v1/triggers/\(name)/runs").json()
        #expect(runs["runs"]?.arrayValue?.map { $0["seq"] ?? .null } == [.integer(from)])
        let id = try #require(event["id"]?.stringValue)
        let explained = try admin.call("GET", "/v1/notifications/\(id)/explain?user=\(user)").json()
        #expect(explained["verdict"]?.stringValue == "\(user) got \(id)")
        #expect(explained["trail"]?.arrayValue?.first?["seq"] == .integer(from))
        let path = try admin.call("GET", "/v1/explain?path=\(collection)/y&user=\(user)").json()
        let reason = path["changes"]?.arrayValue?.first?["triggers"]?.arrayValue?.first
        #expect(reason?["sent"] == false)
        #expect(reason?["says"]?.stringValue?.hasSuffix("the condition is 0") == true)
    }

    @Test func `the work of triggers is counted by name, in the list and for Prometheus`() throws {
        let user = server.name("alice")
        #expect(try admin.call("PUT", "/v1/triggers/\(name)", row(user)).status == 200)
        _ = try put("x", 2)
        _ = try put("x", 1)
        let counts = try admin.call("GET", "/v1/triggers").json()["counts"]?[name]
        #expect([counts?["matched"], counts?["fired"]] == [2, 1])
        #expect(counts?["skipped"] == ["condition": 1])
        let page = try admin.call("GET", "/metrics").text
        #expect(page.contains("watchwise_trigger_changes_total{trigger=\"\(name)\",outcome=\"fired\"} 1\n"))
        #expect(page.contains("watchwise_trigger_notifications_total{trigger=\"\(name)\"} 1\n"))
    }

    @Test(
        arguments: [
            ("POST", "triggers/none/test", #"{"path":"a/b","after":{}}"#, 404), ("GET", "triggers/none/test", nil, 405),
            ("GET", "triggers/none/runs", nil, 404), ("POST", "triggers/none/runs", "{}", 405),
            ("POST", "triggers/none/replay", #"{"from":1}"#, 404), ("POST", "triggers/none/replay", "{}", 400),
            ("POST", "triggers/none/replay", #"{"from":1,"dryRun":"no"}"#, 400),
            ("POST", "triggers/none/replay", #"{"from":1,"extra":1}"#, 400), ("GET", "triggers/none/other", nil, 404),
            ("GET", "notifications/n999999999/explain", nil, 404), ("GET", "notifications/x/explain", nil, 404),
            ("GET", "notifications/n1/explain?user=a%20b", nil, 400), ("POST", "notifications/n1/explain", "{}", 405),
            ("GET", "explain", nil, 400), ("GET", "explain?path=a/b", nil, 400), ("DELETE", "explain", nil, 405),
            ("GET", "triggers/none/runs?before=x", nil, 400),
        ] as [(String, String, String?, Int)])
    func `a wrong question is refused with its status`(
        _ method: String, _ target: String, _ body: String?, _ status: Int
    ) throws {
        let answer = try admin.call(method, "/v1/" + target, text: body)
        #expect(answer.status == status, "\(answer.text)")
    }

    @Test func `all of it is for administrators`() throws {
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token("alice"))
        for (method, target) in [
            ("POST", "triggers/t/test"), ("GET", "triggers/t/runs"), ("POST", "triggers/t/replay"),
            ("GET", "notifications/n1/explain"), ("GET", "explain?path=a/b&user=alice"),
        ] {
            let body: JSONValue? = method == "POST" ? .some(["from": 1, "path": "a/b"]) : .none
            #expect(try user.call(method, "/v1/" + target, body).status == 403)
        }
    }
}
