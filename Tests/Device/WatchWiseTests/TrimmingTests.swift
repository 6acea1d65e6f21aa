import Foundation
import JSON
import Session
import TestSupport
import Testing

@testable import WatchWise

/// Documents that the store gave up because nobody watched them.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct TrimmingTests {
    static let collection = "users/alice/tasks"
    let server: LiveServer
    let alice: WatchWise

    init() async throws {
        server = try LiveServer()
        alice = try await server.open("alice")
        for number in 1...3 { try await alice.document("\(Self.collection)/\(number)").put(["n": 1]).done() }
        let list = try await alice.collection(Self.collection).snapshots().first { $0.isComplete }
        #expect(list.items.count == 3)
    }

    @Test func `a path that was trimmed is fetched again when somebody watches it`() async throws {
        try await Self.age(alice, [Self.collection])
        #expect(try await Self.stored(alice).isEmpty)
        let again = try await alice.collection(Self.collection).snapshots().first { $0.isComplete }
        #expect(again.items.map(\.version) == [1, 1, 1])
    }

    @Test func `a watched document stays when its collection is trimmed, and the collection comes back whole`()
        async throws
    {
        let path = "\(Self.collection)/2"
        var watched = await alice.document(path).snapshots().makeAsyncIterator()
        while let snapshot = await watched.next(), !snapshot.isComplete {}
        try await Self.age(alice, [Self.collection])
        #expect(try await Self.stored(alice) == [path])
        let again = try await alice.collection(Self.collection).snapshots().first { $0.isComplete }
        #expect(again.items.count == 3)
        withExtendedLifetime(watched) {}
    }

    @Test func `a document that was watched alone does not take itself from its collection`() async throws {
        let path = "\(Self.collection)/2"
        _ = try await alice.document(path).snapshots().first { $0.isComplete }
        var watched = await alice.collection(Self.collection).snapshots().makeAsyncIterator()
        while let snapshot = await watched.next(), !snapshot.isComplete {}
        try await Self.age(alice, [path])
        #expect(try await Self.stored(alice).count == 3)
        withExtendedLifetime(watched) {}
    }

    @Test func `a stream that was watched until a moment ago is not trimmed, even if the watch began long ago`()
        async throws
    {
        var watched: Snapshots<Versioned<AnyJSON>>.Iterator? =
            await alice.collection(Self.collection).snapshots().makeAsyncIterator()
        while let snapshot = await watched?.next(), !snapshot.isComplete {}
        try await Self.age(alice, [Self.collection], isActive: true)
        watched = nil
        try await Self.rested(alice, Self.collection)
        await alice.device.store.trim()
        #expect(try await Self.stored(alice).count == 3)
    }

    /// Eight days go by.
    @WatchWiseActor private static func age(_ ww: WatchWise, _ paths: [String], isActive: Bool = false) async throws {
        for path in paths where !isActive { try await rested(ww, path) }
        let eightDaysAgo = Int64(Date.now.timeIntervalSince1970 * 1000) - 8 * 86_400_000
        try ww.device.store.write { writer in
            for path in paths {
                guard let row = try writer.row(RowKey(.watches, path)) else { continue }
                try writer.apply(.put(.watches, row.with(["usedAt": .integer(eightDaysAgo)])))
            }
        }
        ww.device.store.trim()
    }

    /// The list ends a moment after its reader.
    @WatchWiseActor private static func rested(_ ww: WatchWise, _ path: String) async throws {
        for _ in 1...500 {
            let row = try ww.device.store.read { try $0.row(RowKey(.watches, path)) }
            if row?.isTrue("isActive") == false { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("\(path) is still watched")
    }

    @WatchWiseActor private static func stored(_ ww: WatchWise) throws -> [String] {
        try ww.device.store.read { try $0.documents(in: collection) }.compactMap { $0.string("path") }
    }
}
