import Foundation
import Synchronization
import TestSupport
import Testing

@testable import WatchWise

/// Tokens that are refused, or do not come.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct TokenTests {
    let server: LiveServer
    let good: String

    init() async throws {
        server = try LiveServer()
        try await server.befriend("alice", "bob")
        good = try ServerProcess.token("alice", data: server.folder.path)
    }

    private func parts(_ token: @escaping TokenSource) -> DeviceParts {
        DeviceParts(
            user: "alice", location: .memory, token: token, conflicts: nil,
            transport: { [address = server.address] in try LoopTransport(address, into: $0) })
    }

    @Test func `a source of tokens that hangs is asked again`() async throws {
        let count = Mutex(0)
        let alice = try await WatchWise(
            parts { [good] _ in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { try await Task.sleep(for: .seconds(3600)) }
                return good
            })
        try await alice.connect()
        _ = try await alice.states.first { $0 == .live }
        #expect(count.withLock { $0 } == 2)
        await alice.close()
    }

    @Test func `a source that heeds no cancellation holds up nobody else`() async throws {
        let gates = Mutex<[CheckedContinuation<Void, Never>]>([])
        let asked = await AskedToken(
            { reason in
                guard reason == .connect else { return "another" }
                await withCheckedContinuation { waiting in gates.withLock { $0.append(waiting) } }
                return nil
            }, within: .milliseconds(100))
        let second = Task { try await asked(.connect) }
        let error = await #expect(throws: WatchWiseError.self) { try await asked(.connect) }
        #expect(error?.code == "timeout")
        await #expect(throws: WatchWiseError.self) { try await second.value }
        #expect(try await asked(.expiring) == "another")
        for gate in gates.withLock({ $0 }) { gate.resume() }
    }

    @Test func `refused tokens sign out for a while only`() async throws {
        let isGood = Mutex(false)
        let count = Mutex(0)
        let alice = try await WatchWise(
            parts { [good] _ in
                count.withLock { $0 += 1 }
                return isGood.withLock { $0 } ? good : good + "x"
            })
        let write = try await alice.chat(with: "bob").send("kept while signed out")
        try await alice.connect()
        let isSignedOut = { @Sendable (state: ConnectionState) in if case .signedOut(_?) = state { true } else { false }
        }
        _ = try await alice.states.first(isSignedOut)
        #expect(count.withLock { $0 } == 2)
        // A question is not kept waiting for the next attempt.
        let error = await #expect(throws: WatchWiseError.self) { try await alice.request(["type": "rooms"]) }
        #expect(error?.code == "lost")
        await alice.network(isOnline: true)
        while count.withLock({ $0 }) < 3 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(isSignedOut(await alice.state))
        isGood.withLock { $0 = true }
        try await alice.connect()
        try await write.done()
        #expect(await alice.state == .live)
        await alice.close()
    }

    @Test func `no token is final`() async throws {
        let token = Mutex<String?>(good + "x")
        let alice = try await WatchWise(parts { _ in token.withLock { $0 } })
        try await alice.connect()
        _ = try await alice.states.first { if case .signedOut(_?) = $0 { true } else { false } }
        token.withLock { $0 = nil }
        await alice.focus(false)
        await alice.focus(true)
        _ = try await alice.states.first { $0 == .signedOut(reason: nil) }
        token.withLock { $0 = good }
        await alice.network(isOnline: true)
        try await Task.sleep(for: .milliseconds(300))
        #expect(await alice.state == .signedOut(reason: nil))
        try await alice.connect()
        _ = try await alice.states.first { $0 == .live }
        await alice.close()
    }
}
