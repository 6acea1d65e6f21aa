import Foundation
import JSON
import TestSupport
import Testing

@testable import WatchWise

/// The waits of an application, and how they end.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct WaitingTests {
    let server: LiveServer
    let folder = TemporaryFolder()

    init() async throws {
        server = try LiveServer()
        try await server.befriend("alice", "bob")
    }

    // MARK: Answers

    @Test func `the first question after the library is opened waits for the connection`() async throws {
        let alice = try await server.open("alice")
        #expect(try await alice.inbox.list().items.isEmpty)
        #expect(try await alice.document("users/alice/tasks/1").get() == nil)
        let other = try await server.open("alice")
        #expect(try await other.request(["type": "rooms"])["rooms"]?.array == [])
    }

    @Test func `a question without a network ends in its time, and is not sent later`() async throws {
        let alice = try await server.open("alice")
        _ = try await alice.states.first { $0 == .live }
        server.kill()
        let clock = ContinuousClock()
        let took = try await clock.measure {
            let error = await #expect(throws: WatchWiseError.self) {
                try await alice.device.request(
                    "room.create", ["title": "Twice", "key": "1"], timeout: .milliseconds(300))
            }
            try #require(error?.code == "timeout")
        }
        #expect(took < .seconds(15), "\(took)")
        try server.restart()
        #expect(try await alice.request(["type": "rooms"])["rooms"]?.array == [])
        // One that is asked in its time has its answer.
        let answer = try await alice.device.request("rooms", [:], timeout: .seconds(20))
        #expect(answer["rooms"]?.arrayValue == [])
    }

    @Test func `a question ends with its task`() async throws {
        let alice = try await server.open("alice")
        _ = try await alice.states.first { $0 == .live }
        server.kill()
        let questions: [@Sendable () async throws -> Void] = [
            { _ = try await alice.inbox.list() },
            { _ = try await alice.chat(with: "bob").history(after: 0) },
            { try await alice.request(["type": "room.create", "title": "Not any more", "key": "1"]) },
            { try await alice.push.unregister() },
            { try await alice.chat(with: "bob").send("ciao").done() },
        ]
        let tasks = questions.map { question in Task { try await question() } }
        try await Task.sleep(for: .milliseconds(200))
        let clock = ContinuousClock()
        let took = await clock.measure {
            for task in tasks {
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
        // By itself a question ends after 30 s.
        #expect(took < .seconds(20), "\(took)")
        // The write goes on: only the wait for it has ended.
        try server.restart()
        let sent = try await alice.chat(with: "bob").snapshots().first { $0.items.last?.n == 1 }
        #expect(sent.items.map(\.text) == ["ciao"])
        #expect(try await alice.request(["type": "rooms"])["rooms"]?.array == [])
    }

    @Test func `a command that is sent again, because its answer was lost, is done once`() async throws {
        let port = try #require(UInt16(server.address.split(separator: ":").last ?? ""))
        let relay = try CutRelay(to: port, lag: 0.5)
        defer { relay.stop() }
        let alice = try await server.open("alice", through: relay.port)
        _ = try await alice.states.first { $0 == .live }
        let other = try await server.open("alice")
        let rooms = { try await other.request(["type": "rooms"])["rooms"]?.array?.count ?? 0 }
        let asked = Task { try await alice.request(["type": "room.create", "title": "Once", "members": ["bob"]]) }
        // The server has done it, and its answer is on the way.
        while try await rooms() == 0 { try await Task.sleep(for: .milliseconds(10)) }
        relay.cut()
        #expect(try await asked.value["chat"]?.string?.hasPrefix("room:") == true)
        #expect(relay.cuts == 1)
        #expect(try await rooms() == 1)
    }

    @Test func `a question is asked in vain when its task has ended already`() async throws {
        let alice = try await server.open("alice")
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await alice.inbox.list()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: A start without a network

    @Test func `lists are there although neither the server nor the source of tokens answers`() async throws {
        struct NoNetwork: Error {}
        let store = StoreLocation.file(folder.path + "/alice.sqlite")
        let online = try await server.open("alice", store: store)
        try await online.chat(with: "bob").send("before the tunnel").done()
        _ = try await online.chats.snapshots().first { $0.isComplete && $0.items.count == 1 }
        await online.close()
        server.kill()
        let alice = try await WatchWise(server: server.address, user: "alice", store: store) { _ in throw NoNetwork() }
        let chats = try await alice.chats.snapshots().first { _ in true }
        #expect(chats.items.map(\.last?.text) == ["before the tunnel"])
        let write = try await alice.chat(with: "bob").send("in the tunnel")
        #expect(await write.isDurable)
        let shown = try await alice.chat(with: "bob").snapshots().first { _ in true }
        #expect(shown.items.map(\.text) == ["before the tunnel", "in the tunnel"])
        let state = try await alice.states.first { if case .waiting = $0 { true } else { false } }
        guard case .waiting(_, _, let reason?) = state else { return }
        #expect(reason.contains("NoNetwork") || reason.contains("refused"))
        await alice.close()
    }
}
