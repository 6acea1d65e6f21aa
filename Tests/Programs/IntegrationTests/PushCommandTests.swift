import Foundation
import JSON
import TestSupport
import Testing

/// Pushes from an operator's view: the settings of a start, the key of Web Push, the list of devices.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct PushCommandTests {
    let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }
    private static let serve = ["--listen", "127.0.0.1:0", "--push-contact", "mailto:admin@example.org"]

    private func run(_ arguments: [String]) throws -> ServerProcess.Ended { try ServerProcess.run(arguments) }

    private func there(_ server: ServerProcess) -> [String] {
        ["--server", "http://127.0.0.1:\(server.port)", "--data", data]
    }

    /// Registers a browser of a user over a session of their own.
    private func register(_ user: String, _ device: String, on server: ServerProcess) throws {
        try register(
            user, device,
            [
                "platform": "webpush",
                "subscription": [
                    "endpoint": .string("https://push.example/\(user)/\(device)"),
                    "keys": [
                        "p256dh":
                            "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
                        "auth": "tBHItJI5svbpez7KI4CCXg",
                    ],
                ],
            ], on: server)
    }

    private func register(
        _ user: String, _ device: String, _ registration: JSONObject, on server: ServerProcess
    ) throws {
        let peer = try WebSocketPeer(port: server.port)
        func ok(_ command: JSONValue) throws {
            try peer.send(command.text)
            while case .text(let text) = try peer.next() {
                let answer = try JSONValue(parsing: Array(text.utf8))
                guard answer["re"] == command["id"] else { continue }
                return #expect(answer["ok"] != nil, "\(text)")
            }
        }
        let token = try ServerProcess.token(user, data: data)
        try ok(["id": 1, "type": "hello", "token": .string(token), "device": .string(device)])
        var command: JSONObject = ["id": 2, "type": "device"]
        for (name, value) in registration.members { command[name] = value }
        try ok(.object(command))
    }

    @Test func `devices are listed without their endpoints, and one is removed`() throws {
        let server = try ServerProcess(data: data, arguments: Self.serve)
        let there = there(server)
        #expect(try run(["push"] + there).errors == "No device is pushed.\n")
        try register("alice", "laptop", on: server)
        try register("alice", "phone", on: server)
        try register("bob", "phone", on: server)
        let all = try run(["push", "devices"] + there)
        #expect(all.status == 0)
        #expect(all.output.split(separator: "\n").count == 4)
        #expect(!all.output.contains("push.example"))
        let table = try run(["push", "devices", "alice"] + there).output.split(separator: "\n")
        #expect(table.count == 3 && table[0].contains("PLATFORM"))
        #expect(table.dropFirst().allSatisfy { $0.contains("alice") && $0.contains("webpush") })
        let listed = try JSONValue(parsing: Array(try run(["push", "devices", "bob", "--json"] + there).output.utf8))
        let bobs = try #require(listed["devices"]?.arrayValue?.first?["id"]?.stringValue)
        let wrong = try run(["push", "devices", "alice", "--remove", bobs] + there)
        #expect(wrong.status == 1 && wrong.errors.contains("alice has no device \(bobs)"))
        #expect(try run(["push", "devices", "bob", "--remove", bobs] + there).output == "device \(bobs) is removed\n")
        #expect(try run(["push", "devices", "--remove", bobs] + there).status == 1)
        #expect(try run(["push", "devices", "bob"] + there).errors == "bob has no device that is pushed.\n")
        let none = try run(["push", "test", "bob", "Hello"] + there)
        #expect(none.status == 1 && none.errors.contains("bob has no device that is pushed"))
        #expect(try run(["push", "devices", "nobody"] + there).status == 1)
        #expect(try run(["push", "devices", "--limit", "0"] + there).status == 2)
        #expect(try run(["push", "jobs"] + there).errors == "There are no push jobs.\n")
        #expect(try run(["push", "jobs", "--state", "lost"] + there).errors.contains("must be one of waiting, begun"))
        #expect(try run(["push", "jobs", "7"] + there).status == 1)
        #expect(try run(["push", "jobs", "7", "--state", "ended"] + there).status == 2)
    }

    @Test(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
    func `a test shows what each push service said, and fails when none took it`() throws {
        let taken = String(repeating: "a1", count: 32)
        let service = try WebServer { request in
            request.target.hasSuffix(taken)
                ? WebServer.Answer() : WebServer.Answer(status: 410, body: Array(#"{"reason":"Unregistered"}"#.utf8))
        }
        defer { service.stop() }
        let key = try #require(Certificates.made).key("ec")
        let server = try ServerProcess(
            data: data,
            arguments: [
                "--listen", "127.0.0.1:0", "--push-allow", "127.0.0.0/8", "--apns-key", key, "--apns-key-id",
                "2X9R4HXF34", "--apns-team", "59GAB85EFG", "--apns-topic", "org.example", "--apns-url",
                "http://127.0.0.1:\(service.port)",
            ])
        let there = there(server)
        #expect(
            try run(["push", "test", "alice", "Hello"] + there).errors.contains("not-found: there is no user alice"))
        let registration: JSONObject = ["platform": "apns", "topic": "org.example"]
        for (device, token) in [("phone", taken), ("tablet", String(repeating: "b2", count: 32))] {
            var registration = registration
            registration["token"] = .string(token)
            try register("alice", device, registration, on: server)
        }
        let first = try run(["push", "test", "alice", "Hello", "--title", "Test"] + there)
        let lines = first.output.split(separator: "\n")
        #expect(first.status == 0 && lines.count == 3, "\(first)")
        #expect(lines.first?.split(separator: " ") == ["DEVICE", "PLATFORM", "STATE", "ANSWER", "MS"])
        #expect(lines.contains { $0.contains("phone") && $0.contains("sent") && $0.contains("200, apns-id") })
        #expect(lines.contains { $0.contains("tablet") && $0.contains("dropped") && $0.contains("410 Unregistered") })
        let sent = try #require(service.requests.first { $0.target.hasSuffix(taken) })
        #expect(try JSONValue(parsing: sent.body)["aps"]?["alert"] == ["title": "Test", "body": "Hello"])
        for _ in 0..<100 where try run(["push", "devices", "alice"] + there).output.contains("tablet") {
            Thread.sleep(forTimeInterval: 0.05)
        }
        let second = try run(["push", "test", "alice", "Hello", "--json"] + there)
        #expect(second.status == 0, "\(second)")
        let rows = try JSONValue(parsing: Array(second.output.utf8))["devices"]?.arrayValue ?? []
        #expect(rows.count == 1 && rows[0]["device"] == "phone" && rows[0]["state"] == "sent", "the tablet is removed")
        service.setAnswer { _ in WebServer.Answer(status: 503) }
        let third = try run(["push", "test", "alice", "Hello"] + there)
        #expect(third.status == 1 && third.output.contains("again") && third.errors.contains("no push service took"))
        let wrong = try run(["push", "test", "alice", "Hello", "--level", "passive"] + there)
        #expect(wrong.status == 1 && wrong.errors.contains("level must be one of active"))
        #expect(try run(["push", "test", "alice"] + there).status == 2)
    }

    @Test func `the key of Web Push is shown and replaced, and the next start hands out the new one`() throws {
        let none = try run(["push", "key", "--data", data])
        #expect(none.status == 1 && none.errors.contains("the first start with push-contact makes it"))
        let server = try ServerProcess(data: data, arguments: Self.serve)
        let first = try run(["push", "key", "--data", data])
        #expect(first.status == 0 && first.output.hasPrefix("B") && first.output.utf8.count == 88)
        let rotated = try run(["push", "key", "--rotate", "--data", data])
        #expect(rotated.output != first.output && rotated.errors.contains("Restart the server"))
        #expect(!rotated.errors.contains("is gone"))
        let old = try HTTPPeer(port: server.port).request("GET", "/v1/push/key")
        #expect(old.text.contains(first.output.trimmingCharacters(in: .newlines)), "\(old.text)")
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        let next = try ServerProcess(data: data, arguments: Self.serve)
        let new = try HTTPPeer(port: next.port).request("GET", "/v1/push/key")
        #expect(new.text.contains(rotated.output.trimmingCharacters(in: .newlines)), "\(new.text)")
        let both = try JSONValue(parsing: Array(try run(["push", "key", "--data", data, "--json"]).output.utf8))
        #expect(both["before"]?.stringValue.map { $0 + "\n" } == first.output)
        #expect(try run(["push", "key", "--rotate", "--data", data]).errors.contains("is gone"))
    }

    @Test(arguments: [
        (["--apns-key", "k.p8"], "--apns-key-id is required with --apns-key"),
        (["--apns-topic", "org.example"], "--apns-key is required with --apns-topic"),
        (["--push-contact", "admin@example.org"], "--push-contact must be an address of the operator"),
        (["--fcm-service-account", "/nonexistent.json"], "fcm-service-account: /nonexistent.json: open failed"),
        (
            [
                "--apns-key", "/dev/null", "--apns-key-id", "2X9R4HXF34", "--apns-team", "59GAB85EFG", "--apns-topic",
                "a",
            ], "apns-key: /dev/null is a device, and a file is needed"
        ),
    ])
    func `settings that cannot work end the start with code 2 and a sentence`(
        _ arguments: [String], _ sentence: String
    ) throws {
        let ended = try run(["serve", "--listen", "127.0.0.1:0", "--data", data] + arguments)
        #expect(ended.status == 2)
        #expect(ended.errors.contains(sentence), "\(ended.errors)")
    }
}
