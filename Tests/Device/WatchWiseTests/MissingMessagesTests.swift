import JSON
import Session
import Testing

@testable import WatchWise

/// Pages of messages that a device lacks, where the server refuses one.
@WatchWiseActor
struct MissingMessagesTests {
    /// Asks for a page that is refused once; returns how often its lists were to look again.
    private func lookedAgain(after refusal: JSONValue) async -> (looked: Int, failed: Int) {
        var (looked, failed) = (0, 0)
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let missing = MissingMessages(pause: .milliseconds(20)) { _, _, _ in
            throw WatchWiseError(refusal)
        } changed: { changes in
            looked += changes.hasRow(.chats, RowKey(.chats, "alice:bob")) ? 1 : 0
            look.finish()
        }
        missing.fetch("alice:bob", 1...50, limit: 50) { failed += 1 }
        let patience = Task {
            try? await Task.sleep(for: .seconds(refusal["class"] == "permanent" ? 1 : 30))
            look.finish()
        }
        for await _ in looks {}
        patience.cancel()
        return (looked, failed)
    }

    @Test(arguments: ["retry", "limit"]) func `a page that is refused for now is looked for again`(kind: String) async {
        let began = ContinuousClock.now
        let (looked, failed) = await lookedAgain(after: ["class": .string(kind), "code": "busy", "retryAfterMs": 300])
        #expect(looked == 1 && failed == 1)
        #expect(began.duration(to: .now) >= .milliseconds(320), "the server asks for 300 ms")
    }

    @Test func `a page that is refused for good is not asked for in a circle`() async {
        let (looked, failed) = await lookedAgain(after: ["class": "permanent", "code": "forbidden"])
        #expect(looked == 0 && failed == 1)
    }
}
