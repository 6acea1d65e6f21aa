import Configuration
import EventLoop
import Execution
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing
@testable import Quotas
@testable import Telemetry
@testable import ThreadMessages

/// The load of one user, and its effect on the others.
@Suite(.serialized)
struct FairnessTests {
    private static let mebibyte: Int64 = 1 << 20

    /// A write that ends when the test says so; later ones must wait.
    private struct Held: WriteUseCase {
        let begun = DispatchSemaphore(value: 0)
        let end = DispatchSemaphore(value: 0)

        func perform(in context: WriteContext) -> JSONObject {
            begun.signal()
            end.wait()
            return [:]
        }
    }

    /// Keeps the writer of a server busy until `end` is signalled.
    private static func hold(_ server: TestServer) -> Held {
        let held = Held()
        let request = WriteRequest(actor: .server, at: WallClock.system.now(), useCase: held)
        server.application.mail.writer.post(.write(WriteOrder(address: nil, ticket: .none, request: request)))
        held.begun.wait()
        return held
    }

    /// The frame of a command of about 40 KB whose tree takes twenty times as much.
    private static let broad: [UInt8] = {
        let leaves = Array(repeating: "[1]", count: 10_000).joined(separator: ",")
        return WebSocketPeer.frame(
            #"{"id":0,"type":"put","path":"users/nobody/notes/1","data":{"leaves":[\#(leaves)]},"key":"k"}"#)
    }()

    /// The least memory of such a tree: for each leaf a block of the heap with its header, and two places.
    private static let broadTreeBytes = Int64(10_000 * (32 + 2 * MemoryLayout<JSONValue>.stride))

    @Test func `commands that wait for the writer count as decoded, even after their connection, and are bounded`()
        throws
    {
        let server = try TestServer { $0.peerMemoryBytes = 64 << 20 }
        defer { server.application.stop() }
        // Each question has a connection of its own: a busy machine may leave one idle for longer than the server keeps it.
        func heldBytes() throws -> Int64 { try #require(try server.admin().statistic("held_bytes")) }
        let devices = try (0..<8).map { try server.device("greedy\($0)") }
        let held = Self.hold(server)
        defer { held.end.signal() }
        for device in devices {
            for _ in 0..<10 { try device.peer.socket.send(Self.broad) }
        }
        // A refusal is sent at once; the answer to a later ping shows that everything was read.
        for device in devices { try device.ok(["type": "ping"]) }
        let refusals = devices.flatMap(\.messages).compactMap { $0["error"]?["code"]?.stringValue }
        #expect(!refusals.isEmpty)
        #expect(refusals.allSatisfy { $0 == "unavailable" })
        let counted = try heldBytes()
        #expect(counted > 16 * Self.mebibyte)
        #expect(counted <= 64 * Self.mebibyte)
        let taken = Int64(80 - refusals.count)
        #expect(counted >= taken * Self.broadTreeBytes, "\(taken) commands wait")
        for device in devices { device.peer.socket.close() }
        Thread.pause(milliseconds: 100)
        #expect(try heldBytes() > 16 * Self.mebibyte)
        held.end.signal()
        for _ in 0..<1000 where try heldBytes() != 0 { Thread.pause(milliseconds: 20) }
        #expect(try heldBytes() < 70_000)
    }

    @Test func `a user who sends on many connections does not hold up the writes of others`() throws {
        let rules = try AccessRules(["users/{user}/notes/{note}": "owner"])
        let server = try TestServer { $0.rules = rules }
        defer { server.application.stop() }
        let admin = try server.admin()
        let attackers = try (0..<8).map { _ in try server.device("greedy") }
        let victim = try server.device("alice")
        let before = try #require(try admin.statistic("writes_total"))
        let held = Self.hold(server)
        defer { held.end.signal() }
        for (number, attacker) in attackers.enumerated() {
            for count in 0..<200 { try attacker.post(Self.note("greedy", "\(number)-\(count)")) }
            try attacker.ok(["type": "ping"])
        }
        let id = try victim.post(Self.note("alice", "a"))
        try victim.ok(["type": "ping"])
        held.end.signal()
        #expect(try victim.reply(to: id)["ok"] != nil)
        // The number of writes before: a part of the 1,600 that came earlier.
        let written = try #require(try admin.statistic("writes_total")) - before
        #expect(written < 1200, "\(written)")
        for attacker in attackers {
            for id in 1...200 as ClosedRange<Int64> { _ = try attacker.reply(to: id + 1) }
        }
    }

    /// A write that takes five milliseconds.
    private struct Slow: WriteUseCase {
        func perform(in context: WriteContext) -> JSONObject {
            usleep(5000)
            return [:]
        }
    }

    @Test func `a command that comes during one user's many writes is not done after all of them`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let victim = try server.device("alice")
        let greedy = UserAccount()
        for _ in 0..<600 {
            let request = WriteRequest(actor: .server, at: WallClock.system.now(), useCase: Slow())
            server.application.mail.writer.post(
                .write(WriteOrder(address: nil, ticket: .none, request: request, account: greedy)))
        }
        // The queue is not empty when these arrive, one after the other.
        let began = ContinuousClock.now
        for number in 0..<5 {
            Thread.pause(milliseconds: 20)
            let follow: JSONValue = ["type": "follow", "topic": .string("person:\(number)")]
            try victim.ok(follow)
        }
        #expect(ContinuousClock.now - began < .seconds(2))
    }

    @Test func `writes that turn out to take long are refused before they would hold up a stop`() throws {
        let server = try TestServer { _ in }
        let greedy = (0..<100).map { _ in UserAccount() }
        // 25 seconds of work, accepted before its duration was known.
        for _ in 0..<50 {
            for account in greedy {
                let request = WriteRequest(actor: .server, at: WallClock.system.now(), useCase: Slow())
                server.application.mail.writer.post(
                    .write(WriteOrder(address: nil, ticket: .none, request: request, account: account)))
            }
        }
        let began = ContinuousClock.now
        server.application.stop()
        #expect(ContinuousClock.now - began < .seconds(12))
    }

    private static func note(_ user: String, _ key: String) -> JSONValue {
        ["type": "put", "path": .string("users/\(user)/notes/1"), "data": ["text": "hello"], "key": .string(key)]
    }
}
