import Foundation
import Synchronization
import TestSupport
import Testing

@testable import WatchWise

/// `typing()` as it is called with each key: what the others of the chat hear.
@Suite(.enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(5)))
struct TypingTests {
    /// The states that were heard, in order.
    private final class Heard: Sendable {
        private let said = Mutex<[Bool]>([])

        var all: [Bool] { said.withLock { $0 } }

        func hear(_ isOn: Bool) { said.withLock { $0.append(isOn) } }
    }

    /// A clock that goes when it is set.
    private final class Ticks: Sendable {
        let now = Mutex<Int64>(0)
    }

    @Test func `keys say it every three seconds, and it ends five seconds after the last one`() async {
        // Ticks are the test's, so keys come as fast as it likes.
        let ticks = Ticks()
        let heard = Heard()
        let typings = await Typings(ClientClock { ticks.now.withLock { $0 } }) { chat, isOn in
            #expect(chat == "alice:bob")
            heard.hear(isOn)
        }
        for _ in 0..<40 {
            await typings.press(in: "alice:bob")
            ticks.now.withLock { $0 += 100 }
        }
        #expect(heard.all == [true, true])
        let began = ContinuousClock.now
        while heard.all.count < 3, ContinuousClock.now - began < .seconds(60) {
            try? await Task.sleep(for: .milliseconds(20))
        }
        #expect(heard.all == [true, true, false])
        #expect(ContinuousClock.now - began > .seconds(4))
        await typings.end(in: "alice:bob")
        #expect(heard.all == [true, true, false], "it ends once")
        await typings.press(in: "alice:bob")
        await typings.end(in: "alice:bob")
        #expect(heard.all == [true, true, false, true, false])
    }

    @Test func `a message ends it, and the next key says it again at once`() async throws {
        let server = try LiveServer()
        try await server.befriend("alice", "bob")
        let alice = try await server.open("alice")
        let bob = try await server.open("bob")
        let chat = await alice.chat(with: "bob")
        try await chat.send("Hello").done()
        let heard = Heard()
        let events = await bob.events("typing")
        let listening = Task { for await event in events { heard.hear(event["on"]?.bool ?? false) } }
        defer { listening.cancel() }
        func wait(for wanted: [Bool]) async throws {
            for _ in 0..<600 where heard.all.count < wanted.count { try await Task.sleep(for: .milliseconds(50)) }
            #expect(heard.all == wanted)
        }
        for await state in await bob.states where state == .live { break }
        await chat.typing()
        try await wait(for: [true])
        try await chat.send("Done").done()
        try await wait(for: [true, false])
        await chat.typing()
        try await wait(for: [true, false, true])
        await chat.typing(false)
        await chat.typing(false)
        try await wait(for: [true, false, true, false])
        try await Task.sleep(for: .seconds(1))
        #expect(heard.all.count == 4)
    }
}
