import EventLoop
import Foundation
import Testing

@testable import JournalLink

/// Everything that libnats holds for us is let go of: nothing grows from one connection to the next.
@Suite(.serialized, .enabled(if: JournalServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
struct ReleaseTests {
    /// Weak references: a sink that libnats still holds is not nil.
    private struct Held {
        weak var sink: NATSSink?
        weak var connection: NATSConnection?
    }

    @Test func `sinks and connections are released when a connection or a client ends`() throws {
        let servers = try JournalServers()
        var held: [Held] = []
        do {
            let user = try JournalUser(try servers.options())
            try user.makeStream()
            user.client.subscribe(to: "presence") { _ in }
            for _ in 0..<3 {
                let read = Collected(user)
                try user.wait(for: "a read") { !user.client.readers.isEmpty }
                held.append(Held(sink: nil, connection: user.client.connection))
                servers.kill(0)
                try user.wait(for: "the end") { user.client.server == nil }
                try servers.start(0)
                try user.connect()
                read.reader?.stop()
            }
            #expect(held.allSatisfy { $0.connection == nil }, "the opener's thread closes them")
            let last = user.client.signals.values.first?.sink
            held.append(Held(sink: last, connection: user.client.connection))
            #expect(held.last?.sink != nil && held.last?.connection != nil)
        }
        // The last subscription ends on a thread of libnats.
        let end = ContinuousClock.now + .seconds(5)
        while held.contains(where: { $0.sink != nil || $0.connection != nil }), ContinuousClock.now < end {
            usleep(1000)
        }
        #expect(held.allSatisfy { $0.sink == nil && $0.connection == nil })
    }
}
