import Foundation
import TestSupport
import Testing

@testable import WatchWise

/// A process that the system suspends, as iOS does with an application that nobody sees. Here the test is the system.
@Suite(.timeLimit(.minutes(20))) @WatchWiseActor
struct SuspensionTests {
    let folder = TemporaryFolder()

    @Test func `a process that is about to be suspended lets go of the lock, and another one connects meanwhile`()
        async throws
    {
        let store = StoreLocation.file(folder.path + "/alice.sqlite")
        let (first, second) = (try ListTests.open(store), try ListTests.open(store))
        #expect(first.device.engine != nil && second.device.engine == nil)
        first.device.take(.suspending)
        #expect(first.device.engine == nil)
        second.device.take(.written)
        #expect(second.device.engine != nil)
        // Its last writes are kept.
        try first.chat(with: "bob").send("ciao")
        #expect(first.outbox.entries.count == 1)
        second.device.take(.written)
        #expect(second.outbox.entries.count == 1)
        first.device.take(.resumed)
        #expect(first.device.engine == nil, "the other one connects")
        second.close()
        first.device.take(.written)
        #expect(first.device.engine != nil)
    }

    @Test func `a suspended process holds no lock on a file`() throws {
        let path = folder.path + "/alice.sqlite"
        let ww = try ListTests.open(.file(path))
        let isFree = {
            let other = StoreLock(path)
            other.take()
            defer { other.release() }
            return other.isHeld
        }
        #expect(!isFree())
        ww.device.take(.suspending)
        #expect(isFree())
        ww.device.take(.resumed)
        #expect(!isFree())
    }

    @Test(.enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"))
    func `waits for writes go on when the process does`() async throws {
        let server = try LiveServer()
        try await server.befriend("alice", "bob")
        let alice = try await server.open("alice", store: .file(folder.path + "/alice.sqlite"))
        _ = try await alice.states.first { $0 == .live }
        alice.device.take(.suspending)
        #expect(alice.state == .idle)
        let write = try alice.chat(with: "bob").send("ciao")
        let waiting = Task { try await write.done() }
        alice.device.take(.resumed)
        _ = try await alice.states.first { $0 == .live }
        _ = try await waiting.value
        let sent = try await alice.chat(with: "bob").snapshots().first { $0.items.last?.n == 1 }
        #expect(sent.items.count == 1)
    }

    @Test func `a store in memory wakes nobody each second`() async throws {
        var rounds = 0
        let quick = Rounds(every: .milliseconds(5), .system) { _ in rounds += 1 }
        while rounds < 3 { try await Task.sleep(for: .milliseconds(5)) }
        quick.end()
        #expect(StoreLocation.memory.pause == .seconds(60))
        #expect(StoreLocation.file("a").pause == .seconds(SystemObserver.seesWrites ? 60 : 1))
    }
}
