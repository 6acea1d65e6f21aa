import Foundation
import TestSupport
import Testing

@testable import WatchWise

/// Processes that share a store, and the right to connect that goes from one to the next.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct LeadTests {
    /// A write is in the store before its call returns, in each process: none holds one that the next process would not
    /// find.
    @Test func `writes are done once while another process takes the right to connect`() async throws {
        let server = try LiveServer()
        let folder = TemporaryFolder()
        try await server.befriend("alice", "bob")
        let store = StoreLocation.file(folder.path + "/alice.sqlite")
        var leader = try await server.open("alice", store: store)
        var count = 0
        for _ in 1...4 {
            _ = try await leader.states.first { $0 == .live }
            let next = try await server.open("alice", store: store)
            // Both write until the last moment.
            let writing = Task { [leader] in
                var kept = 0
                do {
                    while true {
                        try await leader.chat(with: "bob").send("from the one that goes")
                        kept += 1
                        try await Task.sleep(for: .milliseconds(1))
                    }
                } catch {
                    #expect((error as? WatchWiseError)?.code == "closed")
                }
                return kept
            }
            for _ in 1...20 { try await next.chat(with: "bob").send("from the one that comes") }
            await leader.close()
            for _ in 1...20 { try await next.chat(with: "bob").send("from the one that comes") }
            count += await writing.value + 40
            leader = next
        }
        _ = try await leader.states.first { $0 == .live }
        let outbox = try await leader.outbox.snapshots.first(within: .seconds(300)) { $0.items.isEmpty }
        #expect(outbox.items.isEmpty)
        let bob = try await server.open("bob")
        let chats = try await bob.chats.snapshots().first { $0.isComplete }
        #expect(chats.items.first?.last?.n == Int64(count))
        await leader.close()
        await bob.close()
    }
}
