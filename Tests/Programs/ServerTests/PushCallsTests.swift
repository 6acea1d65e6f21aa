import JSON
import Model
import Push
import Server
import Store
import TestSupport
import Testing

/// The calls about devices and push jobs: refused requests, and their messages.
struct PushCallsTests {
    @Test(
        arguments: [
            ("GET", "/v1/push", 404, nil), ("POST", "/v1/push/key", 405, nil), ("POST", "/v1/push/devices", 405, nil),
            ("GET", "/v1/push/devices?user=", 400, "user"), ("GET", "/v1/push/devices?user=nobody-at-all", 404, nil),
            ("GET", "/v1/push/devices/7", 405, nil), ("DELETE", "/v1/push/devices/7", 404, "id"),
            ("DELETE", "/v1/push/devices/x", 404, "id"), ("POST", "/v1/push/jobs", 405, nil),
            ("GET", "/v1/push/jobs?state=lost", 400, "state"), ("GET", "/v1/push/jobs?limit=0", 400, "limit"),
            ("GET", "/v1/push/jobs?before=x", 400, "before"), ("GET", "/v1/push/jobs?user=nobody-at-all", 404, nil),
            ("DELETE", "/v1/push/jobs/7", 405, nil), ("GET", "/v1/push/jobs/7000000", 404, "id"),
            ("GET", "/v1/push/jobs/x", 404, "id"), ("GET", "/v1/push/jobs/0", 404, "id"),
            ("GET", "/v1/push/jobs/7?after=x", 400, "after"), ("GET", "/v1/push/jobs/7/tries", 404, nil),
            ("GET", "/v1/push/test", 405, nil), ("POST", "/v1/push/test/alice", 404, nil),
        ] as [(String, String, Int, String?)])
    func `impossible calls are refused`(_ method: String, _ target: String, _ status: Int, _ field: String?) throws {
        let answer = try TestServer.shared.get().admin().call(method, target)
        #expect(answer.status == status, "\(answer.text)")
        if let field { #expect(try answer.json()["field"] == .string(field)) }
    }

    @Test(
        arguments: [
            (["title": "x"], 400, "user"), (["user": "a b", "title": "x"], 400, "user"),
            (["user": "alice"], 400, "title"), (["user": "alice", "title": ""], 400, "title"),
            (["user": "alice", "title": 7], 400, "title"),
            (["user": "alice", "title": .string(String(repeating: "x", count: 201))], 400, "title"),
            (["user": "alice", "title": "x", "body": .string(String(repeating: "x", count: 1_001))], 400, "body"),
            (["user": "alice", "title": "x", "level": "passive"], 400, "level"),
            (["user": "alice", "title": "x", "level": "loud"], 400, "level"),
            (["user": "alice", "title": "x", "sound": "bell"], 400, "sound"),
            (["user": "nobody-at-all", "title": "x"], 404, "user"),
        ] as [(JSONValue, Int, String)])
    func `a test of pushes that cannot be is refused with its field`(
        _ body: JSONValue, _ status: Int, _ field: String
    ) throws {
        let answer = try TestServer.shared.get().admin().call("POST", "/v1/push/test", body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(try answer.json()["field"] == .string(field))
    }

    @Test func `devices and jobs are the administrator's, the key is everybody's`() throws {
        let server = try TestServer.shared.get()
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token(server.name("mallory")))
        for target in ["/v1/push/devices", "/v1/push/jobs", "/v1/push/jobs/1"] {
            #expect(try user.call("GET", target).status == 403)
        }
        #expect(try user.call("DELETE", "/v1/push/devices/1").status == 403)
        #expect(try user.call("POST", "/v1/push/test", ["user": "mallory", "title": "x"]).status == 403)
        #expect(try user.call("GET", "/v1/push/key").status == 404, "there is none on this server")
    }

    /// Writes into the database of a server that has stopped.
    private func store(in folder: TemporaryFolder, _ change: @escaping (WriteTransaction) throws -> Void) throws {
        let writer = try Storage.openWriter(try DataDirectory(folder.path))
        _ = try writer.commit([change]) { change, transaction in
            try change(transaction)
        } refuse: {
            Issue.record($0)
        }
    }

    @Test func `a job is listed for its user, and shows what became of it for each device`() throws {
        let folder = TemporaryFolder()
        let before = try TestServer(in: folder) { _ in }
        _ = try before.device("alice")
        _ = try before.device("bob")
        before.application.stop()
        try store(in: folder) { transaction in
            let alice = try #require(UserID("alice").flatMap { try transaction.users.number(of: $0) })
            let now = Timestamp(milliseconds: 1_795_000_000_000)
            let device = try transaction.pushDevices.put(
                PushRegistration(.fcm, target: "secret-token", .token), as: "phone", of: alice, at: now)
            try transaction.pushJobs.insert(
                PushJobDraft(.notification, at: Position(1), in: alice, .timeSensitive, committed: now))
            let job = try #require(try transaction.pushJobs.job(1))
            var progress = PushSettlement.Progress(job, to: alice, isEnded: true)
            progress.pushed = 1
            _ = try transaction.pushJobs.note(progress)
            _ = try transaction.pushJobs.note(
                PushSettlement.Try(job: 1, device: device, number: 1, at: now, status: 200, answer: "200", .sent))
        }
        let server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let listed = try admin.call("GET", "/v1/push/jobs?user=alice&state=ended").json()["jobs"]?.arrayValue ?? []
        #expect(listed.count == 1 && listed[0]["level"] == "time-sensitive" && listed[0]["pushed"] == 1)
        #expect(try admin.call("GET", "/v1/push/jobs?user=bob").json()["jobs"] == [])
        let job = try admin.call("GET", "/v1/push/jobs/1")
        let result = try job.json()["tries"]?.arrayValue?.first
        #expect(result?["device"] == "phone" && result?["state"] == "sent" && result?["status"] == 200)
        #expect(!job.text.contains("secret-token"))
    }
}
