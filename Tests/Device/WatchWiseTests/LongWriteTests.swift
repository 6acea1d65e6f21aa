import Foundation
import JSON
import Session
import Synchronization
import TestSupport
import Testing

@testable import WatchWise

/// Writes that are longer than the server takes.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct LongWriteTests {
    let server: LiveServer
    let folder = TemporaryFolder()
    static let long = String(repeating: "x", count: 200_000)

    init() throws { server = try LiveServer() }

    @Test func `a write that is too long fails at the call, offline, too, and nothing of it is stored`() async throws {
        let offline = try await server.open("alice", connects: false)
        await Self.refuses(offline)
        await offline.close()
        let alice = try await server.open("alice", store: .file(folder.path + "/alice.sqlite"))
        await Self.refuses(alice)
        _ = try await alice.states.first { $0 == .live }
        await Self.refuses(alice)
        #expect(await alice.outbox.entries.isEmpty)
        try await alice.document("users/alice/tasks/2").put(["text": "short"]).done()
        let error = await #expect(throws: WatchWiseError.self) {
            try await alice.request(["type": "get", "path": .string(Self.long)])
        }
        #expect(error?.code == "too-large")
        #expect(await alice.state == .live)
    }

    @WatchWiseActor private static func refuses(_ ww: WatchWise) {
        let error = #expect(throws: WatchWiseError.self) {
            try ww.document("users/alice/tasks/1").put(["text": .string(long)])
        }
        #expect(error?.kind == .permanent)
        #expect(error?.code == "too-large")
        #expect(error?.message.contains("131072") == true)
        #expect(error?.message.contains("200") == true)
    }

    @Test func `a long write that is already on the disk fails, and the writes after it go on`() async throws {
        let location = StoreLocation.file(folder.path + "/alice.sqlite")
        try await Self.fill(location)
        let alice = try await server.open("alice", store: location)
        let entries = try await alice.outbox.snapshots.first { $0.items.map(\.pending) == [.failed] }
        #expect(entries.items.first?.error?.code == "too-large")
        #expect(try await alice.document("users/alice/tasks/2").get()?.data == ["text": "short"])
        #expect(await alice.state == .live)
        #expect(await alice.outbox.discard("long"))
    }

    /// As an older version of the library has left it.
    @WatchWiseActor private static func fill(_ location: StoreLocation) throws {
        let store = try DeviceStore(location)
        let commands: [(key: String, path: String, text: String)] = [
            ("long", "users/alice/tasks/1", long), ("short", "users/alice/tasks/2", "short"),
        ]
        try store.write { writer in
            for (key, path, text) in commands {
                let command: JSONObject = [
                    "type": "put", "path": .string(path), "data": ["text": .string(text)], "key": .string(key),
                ]
                var entry = WriteEntry(key, command, base: nil, of: "alice")
                entry.state = .sent
                entry.firstSent = Int64(Date.now.timeIntervalSince1970 * 1000)
                entry.attempts = 9
                try writer.apply(.keep(entry))
            }
        }
        store.close()
    }

    @Test func `a connection that ends with 1009 fails the long write, and the others go on`() async throws {
        let opened = Counter()
        let token = try ServerProcess.token("alice", data: server.folder.path)
        let address = server.address
        let parts = DeviceParts(
            user: "alice", location: .memory, token: { _ in token }, conflicts: nil,
            transport: { try BoastingTransport(address, into: $0, opened) })
        let alice = try await WatchWise(parts)
        try await alice.connect()
        _ = try await alice.states.first { $0 == .live }
        let writes = try await Self.writeSideBySide(alice)
        let error = await #expect(throws: WatchWiseError.self) { try await writes[0].done() }
        #expect(error?.code == "too-large")
        for write in writes.dropFirst() { try await write.done() }
        // One for the long write, and some that a busy machine lets fail; without the refusal they would go on for ever.
        #expect(opened.value <= 6, "\(opened.value) connections")
        await alice.close()
    }

    @WatchWiseActor private static func writeSideBySide(_ ww: WatchWise) throws -> [Write] {
        var writes = [try ww.document("users/alice/tasks/1").put(["text": .string(long)])]
        for number in 2...5 {
            writes.append(try ww.document("users/alice/tasks/\(number)").put(["n": .integer(Int64(number))]))
        }
        return writes
    }
}

/// Counts.
private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

/// The way to a server that says of itself that it takes more than it does, as one does whose proxy takes less.
private final class BoastingTransport: SessionTransport {
    private let real: LoopTransport
    private let opened: Counter
    private let forwarding: Task<Void, Never>

    init(_ server: String, into inbox: TransportInbox, _ opened: Counter) throws {
        let heard = TransportInbox()
        real = try LoopTransport(server, into: heard)
        self.opened = opened
        forwarding = Task {
            for await _ in heard.signals {
                for (number, event) in heard.take() { inbox.post(Self.boasted(event), of: number) }
            }
        }
    }

    private static func boasted(_ event: TransportEvent) -> TransportEvent {
        guard case .received(let message) = event else { return event }
        let text = String(decoding: message, as: UTF8.self)
        return .received(Array(text.replacing(#""messageBytes":131072"#, with: #""messageBytes":9000000"#).utf8))
    }

    func open(_ number: Int) {
        opened.add()
        real.open(number)
    }

    func send(_ message: [UInt8]) { real.send(message) }
    func close(code: UInt16) { real.close(code: code) }

    func shutDown() {
        real.shutDown()
        forwarding.cancel()
    }
}
