import Configuration
import Crypto
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing

/// A server that pushes to the fakes of `Tests/PushProviders`.
final class PushWorld {
    /// A request that a fake has got.
    struct Request {
        let line: JSONValue

        /// In small letters.
        func header(_ name: String) -> String? {
            let fields = line["headers"]?.arrayValue?.compactMap(\.arrayValue) ?? []
            return fields.first { $0.first == .string(name) }?.last?.stringValue
        }

        var path: String { line["path"]?.stringValue ?? "" }
        var status: Int64 { line["status"]?.integerValue ?? 0 }
        /// When it was complete, in seconds since 1970.
        var at: Double { line["at"]?.numberValue ?? 0 }
        /// The body of APNs and FCM; what was sealed of Web Push, decrypted by `http-ece`.
        var json: JSONValue {
            let text = line["plain"]?.stringValue ?? line["body"]?.stringValue ?? ""
            let bytes =
                line["plain"] == nil
                ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
            return (try? JSONValue(parsing: bytes)) ?? .null
        }
    }

    static let topic = "org.example.films"
    let folder = TemporaryFolder()
    let files = TemporaryFolder()
    let apns: ProviderFake
    private let makeConfiguration: (inout ServerConfiguration) -> Void
    private(set) var server: TestServer
    private(set) var fcm: ProviderFake?
    private(set) var web: ProviderFake?

    /// - Parameters:
    ///   - hold: Milliseconds that a user with a live session is waited for.
    ///   - also: Further fakes: `fcm`, `webpush`.
    ///   - options: More options of the fake of APNs.
    init(
        hold: Int64 = 300, also: Set<String> = [], apns options: [String] = [],
        configure: @escaping (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        let authority = try #require(TestAuthority.made)
        let keys = try #require(Certificates.made)
        try FileManager.default.createDirectory(atPath: files.path, withIntermediateDirectories: true)
        let apns = try ProviderFake(
            "apns",
            [
                "--public-key", keys.key("ec"), "--key-id", "2X9R4HXF34", "--team", "59GAB85EFG", "--topic", Self.topic,
            ] + options, authority: authority)
        self.apns = apns
        let account = files.path + "/account.json"
        if also.contains("fcm") {
            fcm = try ProviderFake("fcm", ["--service-account", account], authority: authority)
        }
        if also.contains("webpush") {
            web = try ProviderFake("webpush", ["--subscription", files.path + "/subscription"], authority: authority)
        }
        let fcmURL = fcm?.url
        let hasWeb = web != nil
        makeConfiguration = { configuration in
            configuration.outboundAuthorities = authority.certificate
            configuration.push.allow = .loopback
            configuration.push.holdMilliseconds = hold
            configuration.push.apnsSettings.keyPath = keys.key("ec")
            configuration.push.apnsSettings.keyID = "2X9R4HXF34"
            configuration.push.apnsSettings.team = "59GAB85EFG"
            configuration.push.apnsSettings.topics = [Self.topic]
            configuration.push.apnsSettings.url = apns.url
            if let fcmURL {
                configuration.push.fcmSettings.serviceAccountPath = account
                configuration.push.fcmSettings.url = fcmURL
            }
            if hasWeb { configuration.push.contact = "mailto:admin@example.org" }
            configure(&configuration)
        }
        server = try TestServer(in: folder, makeConfiguration)
    }

    deinit { server.application.stop() }

    /// Stops the server and starts it again on the same folder.
    func restart(meanwhile: () throws -> Void = {}) throws {
        server.application.stop()
        try meanwhile()
        server = try TestServer(in: folder, makeConfiguration)
    }

    /// Registers a device of APNs, whose app is closed again.
    ///
    /// - Parameter end: decides the answer of the fake.
    func register(
        _ user: String, _ device: String = "phone", token end: String = "000000", with more: JSONObject = JSONObject()
    ) throws {
        let token = String(repeating: "0", count: 50) + String(format: "%08x", abs(user.hashValue % 0xfff_ffff)) + end
        try register(
            user, device,
            ["type": "device", "platform": "apns", "token": .string(token), "topic": .string(Self.topic)], more)
    }

    func register(
        _ user: String, _ device: String, _ registration: JSONObject, _ more: JSONObject = JSONObject()
    ) throws {
        var command = registration
        for (name, value) in more.members { command[name] = value }
        let session = try server.device(user, device)
        try session.ok(.object(command))
        session.peer.socket.close()
    }

    /// The keys of the fake's subscription.
    func subscription(_ path: String) throws -> JSONValue {
        let stored = try JSONValue(parsing: [UInt8](Data(contentsOf: URL(filePath: files.path + "/subscription"))))
        return ["endpoint": .string((web?.url ?? "") + path), "keys": stored["keys"] ?? .null]
    }

    /// A notification for a user, or for the followers of a topic.
    @discardableResult
    func notify(_ audience: String, _ title: String = "Hello", with more: JSONObject = JSONObject()) throws -> JSONValue
    {
        var broadcast: JSONObject = ["audience": .string(audience), "title": .string(title)]
        for (name, value) in more.members { broadcast[name] = value }
        let answer = try server.admin().call("POST", "/v1/broadcasts", .object(broadcast))
        guard answer.status == 202 else { throw TCPSocket.Failure(description: answer.text) }
        return try answer.json()
    }

    func requests(of fake: ProviderFake?) throws -> [Request] {
        try fake?.lines("request").filter { $0["path"] != "/token" }.map(Request.init) ?? []
    }

    /// Waits until a fake has got this number of pushes.
    @discardableResult
    func wait(_ count: Int, of fake: ProviderFake? = nil) throws -> [Request] {
        let fake = fake ?? apns
        try wait("\(count) pushes") { try requests(of: fake).count >= count }
        return try requests(of: fake)
    }

    /// Waits for something, twenty seconds at most.
    func wait(_ what: String, _ holds: () throws -> Bool) throws {
        for _ in 0..<2000 {
            if try holds() { return }
            Thread.pause(milliseconds: 10)
        }
        throw TCPSocket.Failure(description: "waited in vain for \(what)")
    }

    /// Waits until every job has ended.
    func settle() throws {
        try wait("the end of all jobs") {
            let jobs = try server.admin().call("GET", "/v1/push/jobs").json()["jobs"]?.arrayValue ?? []
            return jobs.allSatisfy { $0["state"] == "ended" }
        }
    }

    func statistic(_ name: String) throws -> Int64 {
        try server.admin().call("GET", "/v1/stats").json()[name]?.integerValue ?? -1
    }

    func devices(of user: String) throws -> [JSONValue] {
        try server.admin().call("GET", "/v1/push/devices?user=\(user)").json()["devices"]?.arrayValue ?? []
    }

    /// Registers a device of APNs with a token of its own number.
    func registerToken(_ user: String, _ device: String, _ number: Int) throws {
        let token = String(repeating: "0", count: 50) + String(format: "%08x", number) + "000000"
        try register(
            user, device,
            ["type": "device", "platform": "apns", "token": .string(token), "topic": .string(Self.topic)])
    }

    /// Opens the chat of alice and bob with its first message, a recommendation, before anybody registers.
    func openChat() throws -> String {
        let alice = try server.device("alice", "laptop")
        let bob = try server.device("bob", "laptop")
        bob.peer.socket.close()
        try alice.ok(["type": "follow", "topic": "user:bob"])
        try alice.ok(["type": "recommend", "to": "bob", "product": ["id": "movie/603"], "key": "open"])
        alice.peer.socket.close()
        return "alice:bob"
    }

    /// The newest job with its tries.
    func job() throws -> JSONValue {
        let jobs = try server.admin().call("GET", "/v1/push/jobs").json()["jobs"]?.arrayValue ?? []
        guard let id = jobs.first?["id"]?.stringValue ?? jobs.first?["id"]?.integerValue.map(String.init) else {
            return .null
        }
        return try server.admin().call("GET", "/v1/push/jobs/\(id)").json()
    }

    /// The answers of the newest job's tries.
    func answers() throws -> [String] {
        try job()["tries"]?.arrayValue?.compactMap { $0["answer"]?.stringValue } ?? []
    }
}
