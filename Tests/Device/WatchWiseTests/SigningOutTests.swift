import Foundation
import JSON
import Session
import Synchronization
import TestSupport
import Testing

@testable import WatchWise

/// A device belongs to one person: the next one sees nothing of theirs, and writes nothing in their name.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct SigningOutTests {
    let server: LiveServer
    let folder = TemporaryFolder()
    var path: String { folder.path + "/alice.sqlite" }

    init() async throws {
        server = try LiveServer()
        try await server.befriend("alice", "bob")
        try await server.befriend("carol", "bob")
    }

    // MARK: The token of another person

    @Test func `nothing is sent or stored with the token of another person`() async throws {
        let tokens = [
            try ServerProcess.token("carol", data: server.folder.path),
            try ServerProcess.token("alice", data: server.folder.path),
        ]
        let carol = try await server.open("carol")
        try await carol.chat(with: "bob").send("carol's own").done()
        let given = TokenSequence(tokens)
        let alice = try await WatchWise(server: server.address, user: "alice", store: .file(path)) { _ in given.next() }
        let write = try await alice.chat(with: "bob").send("alice's private words")
        let state = try await alice.states.first { if case .blocked = $0 { true } else { false } }
        #expect(state == .blocked(code: "other-user", reason: "the token belongs to carol, not to alice"))
        #expect(await write.pending == .queued)
        #expect(try await alice.chats.list().chats.isEmpty)
        // It does not try again by itself.
        try await Task.sleep(for: .seconds(2))
        #expect(await alice.state == state)
        #expect(given.asked == 1)
        try await alice.connect()
        try await write.done()
        #expect(try await carol.chat(with: "bob").history(after: 0).messages.map(\.text) == ["carol's own"])
        #expect(try await alice.chat(with: "bob").history(after: 0).messages.map(\.text) == ["alice's private words"])
        await alice.close()
    }

    // MARK: Other processes

    /// One process signs out, which may be the one that connects or not; the other has the store open.
    @Test(arguments: [true, false])
    func `signing out ends the other process of the same store`(isLeader: Bool) async throws {
        let leader = try await server.open("alice", store: .file(path))
        _ = try await leader.states.first { $0 == .live }
        try await leader.chat(with: "bob").send("a secret").done()
        let follower = try await server.open("alice", store: .file(path))
        let (one, other) = isLeader ? (leader, follower) : (follower, leader)
        let list = await other.chat(with: "bob").snapshots()
        _ = try await list.first { $0.items.map(\.text) == ["a secret"] }
        async let emptied = list.first { $0.items.isEmpty }
        try await one.signOut()
        let state = try await other.states.first { if case .signedOut = $0 { true } else { false } }
        #expect(state == .signedOut(reason: "the user has signed out in another process"))
        #expect(try await emptied.items.isEmpty)
        #expect(try await other.chats.list().chats.isEmpty)
        for path in [path, path + "-wal", path + "-shm"] { #expect(!FileManager.default.fileExists(atPath: path)) }
        let refused = await #expect(throws: WatchWiseError.self) {
            try await other.chat(with: "bob").send("still here")
        }
        #expect(refused?.code == "signed-out")
        await #expect(throws: WatchWiseError.self) { try await other.connect() }
        // The next person has a store of their own at the same place, which the other process does not touch.
        let next = try await server.open("carol", store: .file(path))
        try await next.chat(with: "bob").send("carol's").done()
        try await other.signOut()
        await other.close()
        #expect(try await next.chats.list().chats.map(\.chat) == ["bob:carol"])
        #expect(FileManager.default.fileExists(atPath: path))
        await next.close()
    }

    @Test func `a write that another process gives up ends as not done`() async throws {
        let leader = try await server.open("alice", store: .file(path))
        _ = try await leader.states.first { $0 == .live }
        let follower = try await server.open("alice", store: .file(path))
        server.kill()
        let write = try await follower.chat(with: "bob").send("lost with the store")
        try await leader.signOut(force: true)
        let error = await #expect(throws: WatchWiseError.self) { try await write.done() }
        #expect(error?.code == "signed-out")
        await follower.close()
    }

    @Test func `a store that was signed out, but not deleted, is empty when it is opened`() async throws {
        try await Self.leave(path)
        let alice = try await server.open("alice", store: .file(path), connects: false)
        #expect(try await alice.chats.list().chats.isEmpty)
        #expect(await alice.state == .idle)
        try await alice.chat(with: "bob").send("a new beginning")
        await alice.close()
    }

    /// The process ends between its word and the deletion.
    @WatchWiseActor private static func leave(_ path: String) throws {
        let store = try DeviceStore(.file(path))
        try store.write { writer in
            try writer.apply(.put(.chats, ["chat": "alice:bob", "seq": 1]))
            try writer.apply(.note("signedOut", true))
        }
        store.close()
    }
}

/// Tokens in turn; the last one again and again.
private final class TokenSequence: Sendable {
    private let tokens: [String]
    private let count = Mutex(0)

    init(_ tokens: [String]) { self.tokens = tokens }

    var asked: Int { count.withLock { $0 } }

    func next() -> String {
        count.withLock { count in
            defer { count += 1 }
            return tokens[min(count, tokens.count - 1)]
        }
    }
}
