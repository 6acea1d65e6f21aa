import Authentication
import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// Devices that register for pushes on a real connection, as the settings of the server allow.
struct PushRegistrationTests {
    private static let apnsToken = String(repeating: "0a", count: 32)

    /// A subscription as a browser gives it; the point is on the curve.
    private static func subscription(_ endpoint: String) -> JSONValue {
        [
            "endpoint": .string(endpoint), "expirationTime": .null,
            "keys": [
                "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
                "auth": "tBHItJI5svbpez7KI4CCXg",
            ],
        ]
    }

    private static func browser(_ endpoint: String = "https://push.example/1") -> JSONValue {
        ["type": "device", "platform": "webpush", "subscription": subscription(endpoint)]
    }

    private func withServer(
        _ configure: (inout ServerConfiguration) throws -> Void, _ test: (TestServer, TemporaryFolder) throws -> Void
    ) throws {
        let folder = TemporaryFolder()
        var configured = ServerConfiguration()
        try configure(&configured)
        let server = try TestServer(in: folder) { $0.push = configured.push }
        defer { server.application.stop() }
        try test(server, folder)
    }

    private func keys() throws -> Certificates { try #require(Certificates.made) }

    /// The JSON file of a service account.
    private func account(in folder: TemporaryFolder) throws -> String {
        let pem = try String(contentsOfFile: keys().key("rsa"), encoding: .utf8)
        let account: JSONValue = [
            "type": "service_account", "project_id": "film-night", "private_key": .string(pem),
            "client_email": "push@example.org", "token_uri": "https://oauth2.googleapis.com/token",
        ]
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let path = folder.path + "/account.json"
        try Data(account.bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func `hello and the page of the key name the key that a browser subscribes with`() throws {
        try withServer({ $0.push.contact = "mailto:admin@example.org" }) { server, folder in
            let key = try #require(try VAPIDKeys.load(path: folder.path + "/vapid-key")).publicKey
            let ok = try server.connect().hello(token: server.token("alice"))
            #expect(ok["push"] == ["webpush": .string(key)])
            let page = try Admin(HTTPPeer(port: server.port), token: nil).call("GET", "/v1/push/key")
            #expect(page.status == 200)
            #expect(try page.json() == ["webpush": .string(key)])
            #expect(TemporaryFolder.permissions(of: folder.path + "/vapid-key") == 0o600)
        }
    }

    @Test func `the key is the same after a restart`() throws {
        let folder = TemporaryFolder()
        let keys = try (0..<2).map { _ in
            let server = try TestServer(in: folder) { $0.push.contact = "https://example.org/contact" }
            defer { server.application.stop() }
            return try server.connect().hello(token: server.token("alice"))["push"]?["webpush"]?.stringValue
        }
        #expect(keys[0]?.count == 87)
        #expect(keys[0] == keys[1])
    }

    @Test func `without settings no platform is offered, no key made, and the refusal names the setting`() throws {
        try withServer({ _ in }) { server, folder in
            let device = try server.connect()
            #expect(try device.hello(token: server.token("alice"))["push"] == nil)
            #expect(try HTTPPeer(port: server.port).request("GET", "/v1/push/key").status == 404)
            #expect(!folder.files.contains("vapid-key"))
            let wanted: [(JSONValue, String)] = [
                (Self.browser(), "push-contact"),
                (["type": "device", "platform": "apns", "token": .string(Self.apnsToken), "topic": "a"], "apns-key"),
                (["type": "device", "platform": "fcm", "token": "t"], "fcm-service-account"),
            ]
            for (command, setting) in wanted {
                let error = try device.refused(command)
                #expect(error["code"] == "bad-request" && error["field"] == "platform")
                #expect(error["message"]?.stringValue?.hasSuffix(setting) == true, "\(error.text)")
            }
        }
    }

    @Test func `a browser registers, an administrator sees the device without its endpoint and removes it`() throws {
        try withServer({ $0.push.contact = "mailto:admin@example.org" }) { server, _ in
            let laptop = try server.device("alice", "laptop")
            #expect(try laptop.ok(Self.browser())["device"] == "laptop")
            let own = try laptop.ok(["type": "devices"])["devices"]?.arrayValue
            #expect(own?.count == 1 && own?[0]["platform"] == "webpush")
            let answer = try server.admin().call("GET", "/v1/push/devices?user=alice")
            #expect(!answer.text.contains("push.example"))
            let id = try #require(try answer.json()["devices"]?.arrayValue?[0]["id"]?.stringValue)
            #expect(try server.admin().call("DELETE", "/v1/push/devices/\(id)").status == 200)
            #expect(try laptop.ok(["type": "devices"])["devices"] == [])
        }
    }

    @Test func `a browser's subscription with another key or endpoint is refused by its field`() throws {
        try withServer({ $0.push.contact = "mailto:admin@example.org" }) { server, _ in
            let device = try server.device("alice", "laptop")
            var wrong = Self.browser()
            wrong["subscription"]?["keys"]?["p256dh"] = "BNcR"
            #expect(try device.refused(wrong)["field"] == "subscription.keys.p256dh")
            #expect(try device.refused(Self.browser("http://push.example/1"))["field"] == "subscription.endpoint")
            #expect(try device.ok(["type": "devices"])["devices"] == [])
        }
    }

    @Test func `an app of APNs registers if the settings name it`() throws {
        let keys = try keys()
        try withServer({ configuration in
            configuration.push.apnsSettings.keyPath = keys.key("ec")
            configuration.push.apnsSettings.keyID = "2X9R4HXF34"
            configuration.push.apnsSettings.team = "59GAB85EFG"
            configuration.push.apnsSettings.topics = ["org.example.films", "org.example.air"]
        }) { server, _ in
            let phone = try server.device("alice", "phone")
            var command: JSONValue = ["type": "device", "platform": "apns", "token": .string(Self.apnsToken)]
            command["topic"] = "org.example.other"
            let error = try phone.refused(command)
            #expect(error["field"] == "topic" && error["code"] == "bad-request")
            command["topic"] = "org.example.air"
            #expect(try phone.ok(command)["device"] == "phone")
            #expect(try phone.refused(Self.browser())["field"] == "platform")
        }
    }

    @Test func `an Android app registers by its token or its installation`() throws {
        let files = TemporaryFolder()
        let path = try account(in: files)
        try withServer({ $0.push.fcmSettings.serviceAccountPath = path }) { server, _ in
            let phone = try server.device("alice", "phone")
            #expect(try phone.ok(["type": "device", "platform": "fcm", "token": "cUx:APA91b"])["device"] == "phone")
            let fid: JSONValue = ["type": "device", "platform": "fcm", "fid": "dQw4w9WgXcQ_abcdefghij"]
            #expect(try phone.ok(fid)["device"] == "phone")
            #expect(try phone.ok(["type": "devices"])["devices"]?.arrayValue?.count == 1)
        }
    }

    @Test func `a key file that cannot be used ends the start, and the sentence names setting and file`() throws {
        let keys = try keys()
        func problem(_ configure: (inout ServerConfiguration) -> Void) -> StartProblem? {
            #expect(throws: StartProblem.self) { try TestServer(configure) }
        }
        let apns = problem { configuration in
            configuration.push.apnsSettings.keyPath = keys.key("rsa")
            configuration.push.apnsSettings.keyID = "2X9R4HXF34"
            configuration.push.apnsSettings.team = "59GAB85EFG"
        }
        #expect(apns?.isConfiguration == true)
        #expect(apns?.description.hasPrefix("apns-key: \(keys.key("rsa")) is not a key for APNs") == true)
        let fcm = problem { $0.push.fcmSettings.serviceAccountPath = keys.key("ec") }
        #expect(fcm?.isConfiguration == true)
        #expect(fcm?.description.hasPrefix("fcm-service-account: \(keys.key("ec")) cannot be read as JSON") == true)
    }

    @Test func `a file of Web Push keys that others can read ends the start`() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        _ = try VAPIDKeys.loadOrCreate(path: folder.path + "/vapid-key")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path + "/vapid-key")
        let problem = #expect(throws: StartProblem.self) {
            try TestServer(in: folder) { $0.push.contact = "mailto:admin@example.org" }
        }
        #expect(problem?.description.hasPrefix("push-contact: ") == true)
        #expect(problem?.description.contains("chmod 600") == true)
    }

    @Test func `the counts of pushes are on the page of metrics`() throws {
        let page = try TestServer.shared.get().admin().call("GET", "/metrics").text
        #expect(page.contains("\nwatchwise_push_jobs_pending 0\n"))
        #expect(page.contains("\nwatchwise_push_devices{platform=\"unifiedpush\"} 0\n"))
        #expect(page.contains("\n# TYPE watchwise_push_delay_seconds histogram\n"))
    }
}
