import Foundation
import TestSupport
import Testing

@testable import WatchWise

/// A device without anything connects while others write, and the network breaks meanwhile.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct BeginningTests {
    static let rounds = 8
    let server: LiveServer

    init() async throws {
        server = try LiveServer()
        try await server.befriend("bob", "alice")
    }

    @Test func `a new device has everything, whatever comes before its lists do, and whenever the connection breaks`()
        async throws
    {
        let first = try await server.open("alice")
        for topic in ["user:pia", "user:quinn"] { try await first.topics.follow(topic).done() }
        for number in 1...3 { try await first.document("users/alice/tasks/\(number)").put(["n": .number(1)]).done() }
        await first.close()
        let bob = try await server.open("bob")
        _ = try await bob.states.first { $0 == .live }
        // All the time, so that something arrives at each step of the device's beginning.
        let writing = Task {
            while !Task.isCancelled {
                for _ in 1...4 { try await bob.chat(with: "alice").send("again").done() }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        // The answer to `hello`, `live` and events arrive together.
        let port = try #require(UInt16(server.address.split(separator: ":").last ?? ""))
        let relay = try CutRelay(to: port, lag: 0.04)
        defer { relay.stop() }
        for round in 0..<Self.rounds {
            let alice = try await server.open("alice", through: relay.port)
            if round % 2 == 1 {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...300)))
                relay.cut()
            }
            let topics = try await alice.topics.snapshots().first { $0.isComplete }
            #expect(Set(topics.items.map(\.topic)) == ["user:pia", "user:quinn"], "round \(round)")
            let tasks = try await alice.collection("users/alice/tasks").snapshots().first { $0.isComplete }
            #expect(tasks.items.count == 3, "round \(round)")
            let chat = try await alice.chat("alice:bob").snapshots(limit: 20).first { $0.isComplete }
            let numbers = chat.items.compactMap(\.n)
            try #require(numbers.count > 1, "round \(round)")
            #expect(numbers == (0..<Int64(numbers.count)).map { numbers[0] + $0 }, "round \(round)")
            await alice.close()
        }
        writing.cancel()
        _ = await writing.result
        await bob.close()
    }
}
