import Configuration
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing

/// The ledger of erasures travels with backups, so that an older backup brings nobody back on a new machine.
struct BackupLedgerTests {
    /// A server on which two people have written to each other, one of whom is erased between two backups.
    private struct Story {
        let folder = TemporaryFolder()
        let place = TemporaryFolder()
        let pair: Pair
        var old: String { place.path + "/old.db" }
        var new: String { place.path + "/new.db" }

        init(erasesFirst other: Bool = false) throws {
            try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
            let server = try TestServer(in: folder) { _ in }
            defer { server.application.stop() }
            let admin = try server.admin()
            pair = try server.pair()
            if other {
                let name = server.name("zoe")
                _ = try server.device(name).ok(["type": "chats"])
                _ = try ErasureTests.certificate(try admin.call("DELETE", "/v1/users/\(name)", [:]), admin)
            }
            try Self.back(up: admin, to: place.path + "/old.db")
            _ = try ErasureTests.certificate(try admin.call("DELETE", "/v1/users/\(pair.alice)", [:]), admin)
            try Self.back(up: admin, to: place.path + "/new.db")
        }

        private static func back(up admin: Admin, to file: String) throws {
            try Data(admin.call("GET", "/v1/backup").body).write(to: URL(fileURLWithPath: file))
        }
    }

    @Test func `the ledger beside a newer backup erases again on another machine, which has no ledger`() throws {
        let story = try Story()
        #expect(try BackupFiles.writeLedger(besides: story.old) == nil, "nobody was erased then")
        let ledger = try #require(try BackupFiles.writeLedger(besides: story.new))
        let mode = try FileManager.default.attributesOfItem(atPath: ledger)[.posixPermissions] as? NSNumber
        #expect(mode == 0o600)
        #expect(try !String(contentsOfFile: ledger, encoding: .utf8).contains(story.pair.alice))
        let folder = TemporaryFolder()
        let report = try Application.restore(story.old, into: folder.path, replaces: false)
        #expect(report.erasures == 0)
        #expect(report.ledgers.map(\.path) == [ledger])
        #expect(report.ledgers.map(\.isUsed) == [true])
        #expect(report.erasedAgain == 1)
        #expect(report.lacking == ["secret"])
        #expect(report.head.value > 0)
        let found = try ErasureTests.files(in: folder.path, containing: story.pair.alice)
        #expect(found == [])
        let server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        let chats = try server.device(story.pair.bob).ok(["type": "chats"])["chats"]?.arrayValue ?? []
        #expect(chats.count == 1 && chats[0]["with"] != .string(story.pair.alice))
    }

    @Test func `the ledger of another server is left alone unless it is named, and then nothing of others goes`() throws
    {
        let (story, other) = (try Story(erasesFirst: true), try Story(erasesFirst: true))
        _ = try BackupFiles.writeLedger(besides: other.new)
        try FileManager.default.moveItem(
            atPath: other.new + ".erasures", toPath: story.place.path + "/foreign.erasures")
        let folder = TemporaryFolder()
        let report = try Application.restore(story.old, into: folder.path, replaces: false)
        #expect(report.ledgers.map(\.isUsed) == [false])
        #expect(report.erasedAgain == 0)
        #expect(report.erasures == 1)
        // Those whom the other server erased are not here.
        let foreign = story.place.path + "/foreign.erasures"
        let named = try Application.restore(story.old, into: folder.path, ledgers: [foreign], replaces: true)
        #expect(named.ledgers.map(\.isUsed) == [true])
        #expect(named.ledgers.map(\.erasures) == [2])
        let server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        let chats = try server.device(story.pair.bob).ok(["type": "chats"])["chats"]?.arrayValue ?? []
        #expect(chats.map { $0["with"] } == [.string(story.pair.alice)])
        let missing = story.place.path + "/nothing.erasures"
        #expect(throws: StartProblem.self) {
            try Application.restore(story.old, into: folder.path, ledgers: [missing], replaces: true)
        }
    }

    @Test func `one of the same server is used where its digests have the same key`() throws {
        let story = try Story(erasesFirst: true)
        let ledger = try #require(try BackupFiles.writeLedger(besides: story.new))
        // A later history: the server was restored since.
        let text = try String(contentsOfFile: ledger, encoding: .utf8)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 3 && lines[0].hasPrefix("epoch "))
        try ("epoch another\n" + lines.dropFirst().joined(separator: "\n") + "\n")
            .write(toFile: ledger, atomically: true, encoding: .utf8)
        let report = try Application.restore(story.old, into: TemporaryFolder().path, replaces: false)
        #expect(report.ledgers.map(\.isUsed) == [true])
        #expect(report.erasedAgain == 1)
    }
}
