import Foundation
import JSON
import Session
import TestSupport
import Testing

@testable import WatchWise

/// Devices whose network, server or process goes away.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct OfflineTests {
    let server: LiveServer
    let folder = TemporaryFolder()

    init() async throws {
        server = try LiveServer()
        try await server.befriend("alice", "bob")
    }

    @Test func `writes of an offline process go out from the next one, in order, once`() async throws {
        let store = StoreLocation.file(folder.path + "/alice.sqlite")
        let first = try await server.open("alice", store: store, connects: false)
        for number in 1...20 { try await first.chat(with: "bob").send("m\(number)") }
        let waiting = try await first.chat(with: "bob").snapshots().first { $0.items.count == 20 }
        #expect(waiting.items.allSatisfy { $0.pending == .queued && $0.n == nil })
        await first.close()
        let second = try await server.open("alice", store: store)
        let sent = try await second.chat(with: "bob").snapshots().first { list in
            list.items.count == 20 && list.items.allSatisfy { $0.pending == nil }
        }
        #expect(sent.items.map(\.text) == (1...20).map { "m\($0)" })
        #expect(sent.items.map(\.n) == (1...20).map { Int64($0) })
        #expect(await second.outbox.entries.isEmpty)
        await second.close()
        // Another process reads the lists without a connection.
        let third = try await server.open("alice", store: store, connects: false)
        let cached = try await third.chat(with: "bob").snapshots().first { _ in true }
        #expect(cached.isFromCache && !cached.isComplete)
        #expect(cached.items.count == 20)
    }

    @Test func `nothing of a chat that somebody reads is trimmed`() async throws {
        try await Self.trim(ofReader: server.open("alice", connects: false))
    }

    @WatchWiseActor private static func trim(ofReader ww: WatchWise) async throws {
        let chat = ww.chat("alice:zoe")
        try chat.device.store.write { writer in
            for n in 1...600 {
                let row: JSONObject = [
                    "chat": .string(chat.id), "n": .integer(Int64(n)), "text": .string("\(n)"), "from": .string("zoe"),
                ]
                try writer.apply(.put(.messages, row))
            }
            try writer.apply(.put(.chats, ["chat": .string(chat.id), "with": .string("zoe"), "top": .integer(600)]))
        }
        let stored = { try chat.device.store.read { try $0.messages(of: chat.id, limit: 1000).count } }
        do {
            var snapshots = chat.snapshots(limit: 1000).makeAsyncIterator()
            #expect(await snapshots.next()?.items.count == 600)
            chat.device.store.trim()
            #expect(try stored() == 600)
            withExtendedLifetime(snapshots) {}
        }
        // The list ends a moment after its reader.
        for _ in 1...100 where try stored() > 500 {
            try await Task.sleep(for: .milliseconds(20))
            chat.device.store.trim()
        }
        #expect(try stored() == 500)
    }

    @Test func `a server that is killed under writes does each once and in order`() async throws {
        let alice = try await server.open("alice", store: .file(folder.path + "/alice.sqlite"))
        var writes: [Write] = []
        for round in 1...6 {
            for number in 1...25 { writes.append(try await alice.chat(with: "bob").send("\(round)-\(number)")) }
            try server.restart()
        }
        for write in writes { try await write.done() }
        let bob = try await server.open("bob")
        _ = try await bob.states.first { $0 == .live }
        let chat = await bob.chat("alice:bob")
        var texts: [String?] = []
        var after: Int64? = 0
        while let place = after {
            let page = try await chat.history(after: place, limit: 60)
            texts += page.messages.map(\.text)
            after = page.next
        }
        #expect(texts == (1...6).flatMap { round in (1...25).map { "\(round)-\($0)" } })
    }

    @Test func `a device that was away reads on from its cursor, and fills a gap when somebody looks at it`()
        async throws
    {
        let store = StoreLocation.file(folder.path + "/bob.sqlite")
        let alice = try await server.open("alice")
        var bob = try await server.open("bob", store: store)
        _ = try await bob.states.first { $0 == .live }
        await bob.close()
        var last: Write?
        for number in 1...300 { last = try await alice.chat(with: "bob").send("m\(number)") }
        try await last?.done()
        bob = try await server.open("bob", store: store)
        let chat = try await bob.chats.snapshots().first { $0.items.first?.last?.n == 300 && $0.isComplete }
        #expect(chat.items.first?.unread == 300)
        let newest = try await bob.chat("alice:bob").snapshots(limit: 50).first { $0.items.last?.n == 300 }
        #expect(newest.items.map(\.n) == (251...300).map { Int64($0) })
        // A new device knows the last message only, and asks for the page.
        let tablet = try await server.open("bob")
        let filled = try await tablet.chat("alice:bob").snapshots(limit: 50).first {
            $0.isComplete && $0.items.count == 50
        }
        #expect(filled.items.first?.n == 251)
    }

    @Test func `a network that answers in the server's place does not end the session`() async throws {
        let alice = try await server.open("alice")
        _ = try await alice.states.first { $0 == .live }
        server.kill()
        let portal = try WebServer(on: server.port) { _ in
            WebServer.Answer(status: 302, headers: [("Location", "http://sign-in.example")])
        }
        let refused = try await alice.states.first { state in
            if case .waiting(_, _, let reason?) = state { reason.contains("302") } else { false }
        }
        #expect(refused != .live)
        let write = try await alice.chat(with: "bob").send("from the train")
        portal.stop()
        try server.restart()
        try await write.done()
    }

    @Test func `a cut connection is made again, and the writes meanwhile arrive`() async throws {
        let relay = try CutRelay(to: try #require(UInt16(server.address.split(separator: ":").last ?? "")))
        defer { relay.stop() }
        let alice = try await server.open("alice", through: relay.port)
        _ = try await alice.states.first { $0 == .live }
        for number in 1...30 {
            try await alice.chat(with: "bob").send("m\(number)")
            if number % 5 == 0 { relay.cut() }
        }
        let chat = await alice.chat(with: "bob")
        let sent = try await chat.snapshots().first {
            $0.items.count == 30 && $0.items.allSatisfy { $0.pending == nil }
        }
        #expect(sent.items.map(\.text) == (1...30).map { "m\($0)" })
        #expect(relay.cuts >= 1)
    }

    @Test func `one process connects with a store; another one's writes go out there`() async throws {
        let store = StoreLocation.file(folder.path + "/alice.sqlite")
        let app = try await server.open("alice", store: store)
        _ = try await app.states.first { $0 == .live }
        let other = try await server.open("alice", store: store)
        let said = await other.device.store.saidAtOpen
        #expect(said == nil)
        #expect(try await other.storageEvents.first { _ in true } == .inUse)
        #expect(await other.state == .idle)
        let write = try await other.chat(with: "bob").send("from the share sheet")
        try await write.done()
        let shown = try await other.chat(with: "bob").snapshots().first { $0.items.last?.n == 1 }
        #expect(shown.items.last?.text == "from the share sheet")
        // The right to connect is free when the first one ends.
        await app.close()
        _ = try await other.states.first { $0 == .live }
    }

    @Test func `somebody decides about a conflict`() async throws {
        let path = "users/alice/tasks/1"
        let phone = try await server.open("alice") { conflict in
            .data(["title": .string("both, after \(conflict.current.version)")])
        }
        let laptop = try await server.open("alice")
        try await laptop.document(path).put(["title": "one"]).done()
        try await laptop.document(path).put(["title": "two"]).done()
        try await phone.document(path).put(["title": "late"], ifVersion: 1).done()
        #expect(try await laptop.document(path).get()?.data == ["title": "both, after 2"])
    }
}
