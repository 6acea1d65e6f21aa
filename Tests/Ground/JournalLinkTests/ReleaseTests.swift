import EventLoop
import Foundation
import Testing

@testable import JournalLink

/// Everything that libnats holds for us is let go of: nothing grows from one connection to the next.
@Suite(.serialized, .enabled(if: JournalServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
struct ReleaseTests {
    /// Weak references: what libnats or the client still holds is not nil.
    private struct Held {
        weak var subscription: NATSSubscription?
        weak var connection: NATSConnection?
        /// It closes its copy of the socket's descriptor when it is released.
        weak var door: ConnectionDoor?

        init(_ connection: NATSConnection?, _ subscription: NATSSubscription? = nil) {
            self.connection = connection
            self.subscription = subscription
            door = connection?.door
        }

        var isReleased: Bool { subscription == nil && connection == nil && door == nil }
    }

    @Test func `subscriptions, connections and their sockets' copies are released when a connection or a client ends`()
        throws
    {
        let servers = try JournalServers()
        var held: [Held] = []
        do {
            let user = try JournalUser(try servers.options())
            try user.makeStream()
            user.client.subscribe(to: "presence") { _ in }
            for _ in 0..<3 {
                let read = Collected(user)
                try user.wait(for: "a read") { user.client.reads.contains { $0.subscription != nil } }
                held.append(Held(user.client.connection, user.client.reads.first?.subscription))
                #expect(held.last?.isReleased == false)
                servers.kill(0)
                try user.wait(for: "the end") { user.client.server == nil }
                try servers.start(0)
                try user.connect()
                read.reader?.stop()
            }
            #expect(held.allSatisfy { $0.connection == nil }, "the opener's thread closes them")
            held.append(Held(user.client.connection, user.client.signals.first?.subscription))
            #expect(held.last?.subscription != nil && held.last?.connection != nil)
        }
        // The news of the end comes on a thread of libnats.
        let end = ContinuousClock.now + .seconds(5)
        while held.contains(where: { !$0.isReleased }), ContinuousClock.now < end { usleep(1000) }
        #expect(!held.contains { !$0.isReleased })
    }
}
