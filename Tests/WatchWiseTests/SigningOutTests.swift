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
