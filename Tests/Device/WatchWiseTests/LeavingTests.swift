import Foundation
import JSON
import TestSupport
import Testing

@testable import WatchWise

/// Nothing rings on a device for somebody who has signed out there.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct LeavingTests {
    let server: LiveServer
    let folder = TemporaryFolder()
    var path: String { folder.path + "/store.sqlite" }
    var note: String { path + ".left" }

    init() throws {
        let certificates = try #require(Certificates.made)
        let account: JSONValue = [
            "type": "service_account", "project_id": "film-night",
            "private_key": .string(try String(contentsOfFile: certificates.key("rsa"), encoding: .utf8)),
            "client_email": "push@example.org", "token_uri": "https://oauth2.googleapis.com/token",
        ]
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let (file, settings) = (folder.path + "/account.json", folder.path + "/settings.json")
        try Data(account.bytes).write(to: URL(fileURLWithPath: file))
        let settled: JSONValue = ["fcm-service-account": .string(file)]
        try Data(settled.bytes).write(to: URL(fileURLWithPath: settings))
        server = try LiveServer(configuration: settings)
    }

    private func registered(_ user: String) async throws -> WatchWise {
        let ww = try await server.open(user, store: .file(path))
        try await ww.push.register(fcmToken: "token-of-this-phone")
        return ww
    }

    /// The devices of a person that get pushes.
    private func devices(of user: String) async throws -> Int {
        let ww = try await server.open(user)
        defer { Task { await ww.close() } }
        return try await ww.request(["type": "devices"])["devices"]?.array?.count ?? -1
    }

    @Test func `signing out ends the pushes to this device`() async throws {
        let alice = try await registered("alice")
        #expect(try await devices(of: "alice") == 1)
        try await alice.signOut()
        #expect(try await devices(of: "alice") == 0)
        #expect(!FileManager.default.fileExists(atPath: note))
    }

    @Test func `without a network the pushes end when the user is here again, and not with somebody else`() async throws
    {
        let alice = try await registered("alice")
        server.kill()
        let took = try await ContinuousClock().measure { try await alice.signOut() }
        // Three seconds, beside whatever else the machine does.
        #expect(took > .seconds(2) && took < .seconds(60), "\(took)")
        #expect(FileManager.default.fileExists(atPath: note))
        #expect(!FileManager.default.fileExists(atPath: path))
        try server.restart()
        let bob = try await server.open("bob", store: .file(path))
        _ = try await bob.states.first { $0 == .live }
        try await Task.sleep(for: .milliseconds(300))
        #expect(try await devices(of: "alice") == 1)
        try await bob.signOut()
        let again = try await server.open("alice", store: .file(path))
        _ = try await again.states.first { $0 == .live }
        while FileManager.default.fileExists(atPath: note) { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try await devices(of: "alice") == 0)
        await again.close()
    }

    @Test func `a registration for the same phone ends those of who was there before`() async throws {
        let alice = try await registered("alice")
        server.kill()
        try await alice.signOut()
        try server.restart()
        let bob = try await registered("bob")
        #expect(try await devices(of: "alice") == 0)
        try await bob.signOut()
        #expect(try await devices(of: "bob") == 0)
    }

    @Test func `a device that is registered no longer waits for nobody when it is left`() async throws {
        let alice = try await registered("alice")
        try await alice.push.unregister()
        server.kill()
        let took = try await ContinuousClock().measure { try await alice.signOut() }
        #expect(took < .seconds(2), "\(took)")
        #expect(!FileManager.default.fileExists(atPath: note))
    }

    @Test func `a process that follows leaves the end of the pushes to the next start`() async throws {
        let leader = try await registered("alice")
        let follower = try await server.open("alice", store: .file(path), connects: false)
        try await follower.signOut()
        #expect(FileManager.default.fileExists(atPath: note))
        await leader.close()
        let again = try await server.open("alice", store: .file(path))
        while FileManager.default.fileExists(atPath: note) { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try await devices(of: "alice") == 0)
        await again.close()
    }

    @Test func `a process that follows takes no more writes than the outbox holds`() async throws {
        let leader = try await server.open("alice", store: .file(path))
        _ = try await leader.states.first { $0 == .live }
        let follower = try await server.open("alice", store: .file(path), connects: false)
        await leader.disconnect()
        let large = String(repeating: "x", count: 100_000)
        var kept = 0
        let error = await #expect(throws: WatchWiseError.self) {
            while true {
                try await follower.document("users/alice/tasks/\(kept)").put(["text": .string(large)])
                kept += 1
            }
        }
        #expect(error?.code == "outbox-full")
        #expect(kept == 83)
        try await leader.signOut(force: true)
        await follower.close()
    }
}
