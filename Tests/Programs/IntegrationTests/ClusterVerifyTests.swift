import Foundation
import JSON
import TestSupport
import Testing

/// `watchwise cluster verify`, and a node whose database is no more that of the others: two processes and a real journal.
@Suite(
    .serialized, .enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"),
    .enabled(if: NATSServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"), .timeLimit(.minutes(5)))
struct ClusterVerifyTests {
    /// A node of its own folder and port, which can be started again.
    private final class Node {
        let folder = TemporaryFolder()
        let name: String
        let port: UInt16
        private let arguments: [String]
        private(set) var process: ServerProcess?
        var address: String { "http://127.0.0.1:\(port)" }

        init(_ name: String, _ nats: NATSServers, _ more: [String] = []) throws {
            self.name = name
            // Free at this moment; the node listens there whenever it is started.
            port = try SilentPort().port
            arguments =
                ["--listen", "127.0.0.1:\(port)", "--node", name, "--node-address", "http://127.0.0.1:\(port)"]
                + ["--journal", nats.addresses.joined(separator: ",")] + more
        }

        func start() throws { process = try ServerProcess(data: folder.path, arguments: arguments) }

        func stop() {
            process?.signal(SIGTERM)
            _ = process?.wait()
            process = nil
        }

        func waitUntilReady() throws {
            for _ in 0..<600 {
                let peer = try HTTPPeer(port: port)
                if try peer.request("GET", "/readyz?for=writes").status == 200 { return }
                Thread.sleep(forTimeInterval: 0.05)
            }
            throw TCPSocket.Failure(description: "node \(name) is not ready after 30 s")
        }

        /// Runs a command against this node.
        func run(_ command: [String]) throws -> ServerProcess.Ended {
            try ServerProcess.run(command + ["--data", folder.path, "--server", address])
        }

        /// The epoch of its positions.
        func epoch() throws -> String? {
            let ended = try run(["stats", "--json"])
            return try JSONValue(parsing: Array(ended.output.utf8))["epoch"]?.stringValue
        }

        /// Changes the rows of the database as no node does.
        func change(_ sql: String) throws -> Int {
            let program = """
                import sqlite3, sys
                with sqlite3.connect(sys.argv[1], timeout=5) as database:
                    print(database.execute(sys.argv[2]).rowcount)
                """
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/python3")
            process.arguments = ["-c", program, "\(folder.path)/watchwise.db", sql]
            let output = Pipe()
            process.standardOutput = output
            try process.runStoppable()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            return Int(text.trimmingCharacters(in: .newlines)) ?? -1
        }
    }

    private let nats: NATSServers
    private let leading: Node
    private let other: Node

    init() throws {
        nats = try NATSServers()
        leading = try Node("a", nats)
        other = try Node("b", nats, ["--lead", "never"])
        let founded = try ServerProcess.run(
            ["cluster", "init", "--data", leading.folder.path, "--journal", nats.addresses[0], "--replicas", "1"]
                + ["--max-bytes", "64MiB"])
        guard founded.status == 0 else { throw TCPSocket.Failure(description: founded.errors) }
        try FileManager.default.createDirectory(
            atPath: other.folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in ["secret", "webhook-secret", "vapid-key"] {
            try FileManager.default.copyItem(
                atPath: "\(leading.folder.path)/\(name)", toPath: "\(other.folder.path)/\(name)")
        }
        try leading.start()
        try leading.waitUntilReady()
        try other.start()
        try other.waitUntilReady()
    }

    private static func send(_ number: Int) -> JSONValue {
        ["type": "send", "chat": "alice:bob", "text": .string("m\(number)"), "key": .string("k\(number)")]
    }

    @Test func `a row changed by hand is found; the next write to it makes the node leave, join again and be equal`()
        throws
    {
        let tokens = try ["alice", "bob"].map { try ServerProcess.token($0, data: leading.folder.path) }
        let alice = try Chatter(port: leading.port, token: tokens[0])
        let bob = try Chatter(port: other.port, token: tokens[1])
        _ = try alice.ok(["type": "follow", "topic": "user:bob"])
        _ = try alice.ok(["type": "recommend", "to": "bob", "product": ["id": "movie/1"], "key": "open"])
        _ = try alice.ok(Self.send(1))
        let equal = try leading.run(["cluster", "verify"])
        #expect(equal.status == 0, "\(equal.output)\(equal.errors)")
        #expect(equal.output.split(separator: "\n").filter { $0.hasSuffix("equal") }.count == 2, "\(equal.output)")
        let elsewhere = try other.run(["cluster", "verify"])
        #expect(elsewhere.status == 1)
        #expect(elsewhere.errors.contains("b does not lead; a does: ask it"), "\(elsewhere.errors)")

        #expect(try other.change("DELETE FROM chats") == 1)
        let unequal = try leading.run(["cluster", "verify"])
        #expect(unequal.status == 1, "\(unequal.output)")
        #expect(unequal.errors.contains("the tables differ from those of a: b in chats"), "\(unequal.errors)")
        let json = try leading.run(["cluster", "verify", "--json"])
        #expect(try JSONValue(parsing: Array(json.output.utf8))["equal"] == .bool(false))

        _ = try alice.ok(Self.send(2))
        #expect(bob.readToEnd() == .close(code: 4503, reason: "overloaded"))
        guard bob.messages.last?["code"] == 4503 else { return }
        #expect(other.process?.wait() == 75)
        try other.start()
        try other.waitUntilReady()
        #expect(other.folder.files.contains { $0.hasPrefix("diverged-") })
        let again = try leading.run(["cluster", "verify"])
        #expect(again.status == 0, "\(again.output)\(again.errors)")
        leading.stop()
        other.stop()
    }

    @Test func `a node that does not answer is named, with status 75`() throws {
        // Then both have heard each other.
        let before = try leading.run(["cluster", "verify"])
        #expect(before.status == 0, "\(before.output)\(before.errors)")
        other.process?.signal(SIGSTOP)
        let ended = try leading.run(["cluster", "verify", "--timeout", "2s"])
        other.process?.signal(SIGCONT)
        #expect(ended.status == 75, "\(ended.output)")
        #expect(ended.errors.contains("no answer within 2s from b"))
        leading.stop()
        other.stop()
    }

    private func deleteStream() throws {
        let port = try #require(nats.addresses[0].split(separator: ":").last.flatMap { UInt16($0) })
        let socket = try TCPSocket(port: port)
        try socket.send(
            Array(
                "CONNECT {\"verbose\":false}\r\nSUB answers 1\r\nPUB $JS.API.STREAM.DELETE.WW-watchwise answers 0\r\n\r\n"
                    .utf8))
        var text = ""
        while !text.contains("\"success\":true") { text += String(decoding: try socket.receive(), as: UTF8.self) }
    }

    @Test func `a journal that is lost is made again after the furthest node, and nothing that was written is gone`()
        throws
    {
        #expect(try leading.run(["put", "lamps/1", "{}"]).status == 0)
        let reseed = ["cluster", "reseed", "--journal", nats.addresses[0], "--replicas", "1", "--max-bytes", "64MiB"]
        let folder = ["--from", leading.folder.path]
        other.stop()
        #expect(try leading.run(["put", "lamps/2", "{}"]).status == 0)
        #expect(try ServerProcess.run(reseed + folder).errors.contains("another server is running"))
        leading.stop()
        let there = try ServerProcess.run(reseed + folder)
        #expect(there.status == 1 && there.errors.contains("nothing is lost"), "\(there.errors)")
        try deleteStream()
        let ended = try ServerProcess.run(reseed + folder + ["--nodes", "1"])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("The journal WW-watchwise is made again"))
        #expect(ended.output.contains(" stays"), "all nodes were heard, as it is said")
        try leading.start()
        try leading.waitUntilReady()
        #expect(try leading.run(["put", "lamps/3", "{}"]).status == 0)
        try other.start()
        try other.waitUntilReady()
        let equal = try leading.run(["cluster", "verify"])
        #expect(equal.status == 0, "\(equal.output)\(equal.errors)")
        #expect(equal.output.split(separator: "\n").filter { $0.hasSuffix("equal") }.count == 2, "\(equal.output)")
        for lamp in ["lamps/1", "lamps/2", "lamps/3"] { #expect(try other.run(["get", lamp]).status == 0, "\(lamp)") }
        leading.stop()
        other.stop()
    }

    @Test func `a cluster goes back to a backup as the page says, in a new epoch, and all nodes with it`() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../../deploy/README.md"),
            encoding: .utf8)
        #expect(page.contains("# watchwise cluster reseed --delete-journal --from /var/lib/watchwise"))
        #expect(page.contains("# watchwise restore before.db --force --data /var/lib/watchwise"))
        #expect(page.contains("# rm /var/lib/watchwise/watchwise.db*"))
        let backup = TemporaryFolder()
        #expect(try leading.run(["put", "lamps/1", "{}"]).status == 0)
        let before = try leading.epoch()
        #expect(try leading.run(["backup", backup.path]).status == 0)
        #expect(try leading.run(["put", "lamps/2", "{}"]).status == 0)
        other.stop()
        leading.stop()
        let restored = try ServerProcess.run(["restore", backup.path, "--force", "--data", leading.folder.path])
        #expect(restored.status == 0, "\(restored.errors)")
        let size = ["--replicas", "1", "--max-bytes", "64MiB", "--journal", nats.addresses[0]]
        let reseed = ["cluster", "reseed", "--from", leading.folder.path] + size
        let refused = try ServerProcess.run(reseed)
        #expect(refused.status == 1 && refused.errors.contains("undo the restore"), "\(refused.errors)")
        // All nodes were heard, and all the same the positions go back.
        let ended = try ServerProcess.run(reseed + ["--delete-journal", "--nodes", "1"])
        #expect(ended.output.contains("a backup was restored; clients fetch their state again"), "\(ended)")
        try leading.start()
        try leading.waitUntilReady()
        #expect(try leading.epoch() != before)
        let late = try ServerProcess.run(
            ["serve", "--data", other.folder.path, "--listen", "127.0.0.1:0", "--node", "b"]
                + ["--journal", nats.addresses[0]])
        #expect(late.status == 2 && late.errors.contains("An empty folder joins it"), "\(late.errors)")
        for file in other.folder.files where file.hasPrefix("watchwise.db") {
            try FileManager.default.removeItem(atPath: "\(other.folder.path)/\(file)")
        }
        try other.start()
        try other.waitUntilReady()
        for node in [leading, other] {
            #expect(try node.run(["get", "lamps/1"]).status == 0)
            #expect(try node.run(["get", "lamps/2"]).status != 0, "it was written after the backup")
        }
        #expect(try leading.run(["cluster", "verify"]).status == 0)
        leading.stop()
        other.stop()
    }

    @Test func `a journal that is made again without all nodes begins a new epoch`() throws {
        let before = try leading.epoch()
        leading.stop()
        other.stop()
        try deleteStream()
        let reseed = ["cluster", "reseed", "--journal", nats.addresses[0], "--replicas", "1", "--max-bytes", "64MiB"]
        let ended = try ServerProcess.run(reseed + ["--nodes", "2", "--json", "--from", leading.folder.path])
        let json = try JSONValue(parsing: Array(ended.output.utf8))
        #expect(
            json["isEpochNew"] == true && json["reason"]?.stringValue?.contains("not all nodes") == true, "\(ended)")
        try leading.start()
        try leading.waitUntilReady()
        #expect(try leading.epoch() == json["epoch"]?.stringValue && before != json["epoch"]?.stringValue)
        leading.stop()
    }
}
