import Configuration
import Foundation
import JSON
import Server
import Store
import TestSupport
import Testing

/// `GET /v1/backup`: a copy of the database, streamed while the server runs.
struct BackupTests {
    /// A server whose database has some megabytes.
    private static func filled(_ server: TestServer) throws -> Pair {
        let pair = try server.pair()
        let text = JSONValue.string(String(repeating: "x", count: 3900))
        for portion in 0..<4 {
            let ids = try (0..<200).map { number in
                try pair.alicePhone.post([
                    "type": "send", "chat": .string(pair.chat), "text": text, "key": .string("f\(portion).\(number)"),
                ])
            }
            for id in ids { #expect(try pair.alicePhone.reply(to: id)["ok"] != nil) }
        }
        return pair
    }

    @Test func `the copy holds all that was acknowledged before it, and is restored into a new epoch`() throws {
        let server = try TestServer { _ in }
        let pair = try Self.filled(server)
        let writer = BackgroundWriter(to: pair.chat, as: pair.alice, on: server)
        let answer = try server.admin().call("GET", "/v1/backup")
        let last = try writer.stop()
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "application/vnd.sqlite3")
        try #require(last > 801, "it was served meanwhile")
        let folder = TemporaryFolder()
        let place = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
        let file = place.path + "/backup.db"
        try Data(answer.body).write(to: URL(fileURLWithPath: file))
        try Application.restore(file, into: folder.path, replaces: false)
        #expect(throws: StartProblem.self) { try Application.restore(file, into: folder.path, replaces: false) }
        let hello = try pair.bobPhone.hello(token: server.token(pair.bob), device: "phone")
        server.application.stop()

        let restored = try TestServer(in: folder) { _ in }
        defer { restored.application.stop() }
        let device = try restored.connect()
        let point: JSONValue = ["epoch": hello["epoch"] ?? .null, "seq": 9]
        let again = try device.hello(token: restored.token(pair.bob), since: point)
        #expect(again["epoch"] != hello["epoch"])
        #expect(try device.event("reset")["reason"] == "epoch")
        let history = try device.ok(["type": "history", "chat": .string(pair.chat), "limit": 1])
        let newest = try #require(history["messages"]?.arrayValue?.last?["n"]?.integerValue)
        #expect((801...last).contains(newest))
    }

    @Test func `a client that goes away ends its backup, and another one may begin`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        _ = try Self.filled(server)
        let token = try server.token("operator", isAdmin: true)
        let socket = try TCPSocket(port: server.port, receiveBufferBytes: 4096)
        let request = "GET /v1/backup HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
        try socket.send(request)
        _ = try socket.receive()
        let second = try server.admin().call("GET", "/v1/backup")
        #expect(second.status == 429)
        #expect(try second.json()["code"] == "too-many")
        socket.close()
        var status = 429
        for _ in 0..<400 where status == 429 {
            status = try server.admin().call("GET", "/v1/backup").status
            if status == 429 { Thread.pause(milliseconds: 50) }
        }
        #expect(status == 200)
        #expect(try server.admin().statistic("backups_total") == 2)
    }

    @Test func `only administrators get a backup, and only by GET`() throws {
        let server = try TestServer.shared.get()
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token("alice"))
        #expect(try user.call("GET", "/v1/backup").status == 403)
        #expect(try server.admin().call("POST", "/v1/backup").status == 405)
    }

    @Test func `a file that is not a database of this server is not restored`() throws {
        let folder = TemporaryFolder()
        let place = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
        let file = place.path + "/other.db"
        for content in ["", "no database at all", String(repeating: "SQLite format 3\u{0}", count: 400)] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: file))
            #expect(throws: StartProblem.self, "\(content.prefix(20))") {
                try Application.restore(file, into: folder.path, replaces: true)
            }
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/watchwise.db"))
        }
    }
}
