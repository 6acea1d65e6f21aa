import Foundation
import TestSupport
import Testing

@testable import WatchWise

/// Invitations into rooms, of people who do not know each other.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct InvitationTests {
    let server: LiveServer

    init() throws { server = try LiveServer() }

    @Test func `the list of invitations lives, and an answer takes one out of it on every device`() async throws {
        let alice = try await server.open("alice")
        let bob = try await server.open("bob")
        let tablet = try await server.open("bob")
        var readers = [
            await bob.invitations.snapshots().makeAsyncIterator(),
            await tablet.invitations.snapshots().makeAsyncIterator(),
        ]
        func shows(_ titles: [String]) async {
            for place in readers.indices {
                while let snapshot = await readers[place].next(), snapshot.items.map(\.title) != titles {}
            }
        }
        let films = try await alice.rooms.create("Films", members: ["bob"]).done()
        #expect(films["invited"] == ["bob"] && films["members"] == nil)
        let series = try await alice.rooms.create("Series", members: ["bob"]).done()
        await shows(["Films", "Series"])
        let (listed, count, next) = try await bob.invitations.list()
        #expect(count == 2 && next == nil && listed.map(\.by) == ["alice", "alice"])
        let id = try #require(films["chat"]?.string)
        try await bob.invitations.accept(id).done()
        await shows(["Series"])
        let chats = try await bob.chats.snapshots().first { $0.items.contains { $0.chat == id } }
        #expect(chats.items.first?.title == "Films")
        let other = try #require(series["chat"]?.string)
        try await tablet.invitations.decline(other).done()
        await shows([])
        let refused = await #expect(throws: WatchWiseError.self) { try await bob.invitations.accept(other).done() }
        #expect(refused?.code == "forbidden")
        // A device that begins later has those that wait.
        try await alice.rooms.create("Music", members: ["bob"]).done()
        let late = try await server.open("bob")
        let found = try await late.invitations.snapshots().first { !$0.items.isEmpty }
        #expect(found.items.map(\.title) == ["Music"])
        for device in [alice, bob, tablet, late] { await device.close() }
    }
}
