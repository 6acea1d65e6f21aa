import Foundation
import JSON
import TestSupport
import Testing

/// The copies that a server makes by itself, and a machine of which nothing else is left.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct OwnBackupsTests {
    private let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }
    private var copies: String { folder.path + "/copies" }

    private func start(_ data: String, _ more: String...) throws -> ServerProcess {
        try ServerProcess(data: data, arguments: ["--listen", "127.0.0.1:0"] + more)
    }

    private func run(_ server: ServerProcess, _ data: String, _ words: String...) throws -> JSONValue {
        // Somebody to whom she can write.
        let there = ["--server", "http://127.0.0.1:\(server.port)", "--data", data, "--json"]
        let ended = try ServerProcess.run(words + there)
        try #require(ended.status == 0, "\(words): \(ended.errors)")
        return try JSONValue(parsing: Array(ended.output.utf8))
    }

    /// The list when it has that many copies.
    private func list(_ server: ServerProcess, _ data: String, count: Int) throws -> JSONValue {
        var answer = try run(server, data, "backups")
        for _ in 0..<400 where answer["backups"]?.arrayValue?.count != count || answer["running"] != .null {
            Thread.sleep(forTimeInterval: 0.05)
            answer = try run(server, data, "backups")
        }
        return answer
    }

    @Test func `of a machine nothing is left but the copies: tokens go on, and the erased do not come back`() throws {
        let server = try start(
            data, "--backup-to", copies, "--backup-every", "1h", "--backup-keep", "2", "--backup-secrets")
        #expect(try run(server, data, "put", "films/1", #"{"name": "Roma", "by": "mallory"}"#)["version"] == 1)
        let token = try ServerProcess.run(["token", "operator", "--admin", "--data", data]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let mallory = try ServerProcess.run(["token", "mallory", "--data", data]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        // Somebody to whom she can write.
        let there = ["--server", "http://127.0.0.1:\(server.port)", "--device", "phone", "--until-answered"]
        _ = try ServerProcess.run(["listen", "alice", "--data", data] + there, input: "ping\n")
        let sent = try ServerProcess.run(
            ["listen", "--token", mallory] + there,
            input: "follow topic=user:alice\nsend to=alice text=\"the secret of mallory\"\n")
        try #require(sent.status == 0, "\(sent.output)\(sent.errors)")
        let first = try list(server, data, count: 1)
        #expect(first["folder"]?.stringValue == copies && first["verified"] == true && first["failed"] == .null)
        // A second has another name.
        Thread.sleep(forTimeInterval: 1.1)
        #expect(try run(server, data, "backups", "make")["started"] == true)
        let second = try list(server, data, count: 2)
        let newest = try #require(second["backups"]?.arrayValue?.first)
        #expect(newest["secrets"] == true && (newest["bytes"]?.integerValue ?? 0) > 100_000)
        Thread.sleep(forTimeInterval: 1.1)
        _ = try run(server, data, "backups", "make")
        var third = second
        for _ in 0..<400 where third["backups"]?.arrayValue?.first == newest || third["running"] != .null {
            Thread.sleep(forTimeInterval: 0.05)
            third = try run(server, data, "backups")
        }
        #expect(third["backups"]?.arrayValue?.count == 2, "the oldest goes")
        // She is erased after the newest copy. Within seconds the copies' folder knows.
        let certificate = try run(server, data, "user", "erase", "mallory", "--messages", "redact", "--wait", "--yes")
        let (finished, forgets) = (certificate["finished"]?.stringValue, certificate["copiesForget"]?.stringValue)
        #expect(try #require(finished) < #require(forgets), "\(certificate.text)")
        for _ in 0..<400 where !FileManager.default.fileExists(atPath: copies + "/watchwise.erasures") {
            Thread.sleep(forTimeInterval: 0.05)
        }
        server.signal(SIGKILL)
        _ = server.wait()
        try FileManager.default.removeItem(atPath: data)

        let name = try #require(third["backups"]?.arrayValue?.first?["name"]?.stringValue)
        let restored = try ServerProcess.run(["restore", "\(copies)/\(name)", "--data", data, "--json"])
        try #require(restored.status == 0, "\(restored.errors)")
        let report = try JSONValue(parsing: Array(restored.output.utf8))
        #expect(report["erasedAgain"] == 1 && report["lacking"] == [], "\(report.text)")
        #expect(report["brought"]?.arrayValue?.contains("secret") == true)
        let again = try start(data)
        let film = try ServerProcess.run([
            "get", "films/1", "--token", token, "--server", "http://127.0.0.1:\(again.port)",
        ])
        #expect(film.status == 0 && film.output.contains("Roma"), "an old token: \(film.errors)")
        let old = try ServerProcess.run(
            ["listen", "--token", mallory, "--server", "http://127.0.0.1:\(again.port)", "--until-answered"],
            input: "ping\n")
        #expect(old.status != 0, "an erased person signs in with an old token")
        again.signal(SIGTERM)
        #expect(again.wait() == 0)
        let database = try Data(contentsOf: URL(fileURLWithPath: data + "/watchwise.db"))
        #expect(database.range(of: Data("the secret of mallory".utf8)) == nil)
    }

    @Test func `a copy that cannot be made says why, counts, and is made when it can be`() throws {
        // A file where the folder is to be: nothing can be made there.
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: copies))
        let server = try start(data, "--backup-to", copies)
        var answer = try run(server, data, "backups")
        for _ in 0..<400 where answer["failed"] == .null {
            Thread.sleep(forTimeInterval: 0.05)
            answer = try run(server, data, "backups")
        }
        #expect(answer["failed"]?["reason"]?.stringValue?.isEmpty == false)
        #expect(try run(server, data, "stats")["backups_failed_total"] == 1)
        let shown = try ServerProcess.run(["backups", "--server", "http://127.0.0.1:\(server.port)", "--data", data])
        #expect(shown.errors.contains("The last attempt failed"))
        try FileManager.default.removeItem(atPath: copies)
        _ = try run(server, data, "backups", "make")
        #expect(try list(server, data, count: 1)["failed"] == .null)
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }

    @Test func `a server without the setting makes none, and says so`() throws {
        let server = try start(data)
        #expect(try run(server, data, "backups")["folder"] == .null)
        let asked = try ServerProcess.run(
            ["backups", "make", "--server", "http://127.0.0.1:\(server.port)", "--data", data])
        #expect(asked.status == 1 && asked.errors.contains("--backup-to"), "\(asked.errors)")
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        let inside = try ServerProcess.run(["serve", "--data", data, "--backup-to", data + "/copies"])
        #expect(inside.status == 2 && inside.errors.contains("--backup-to must not lie in"), "\(inside.errors)")
        let wrong = try ServerProcess.run(["serve", "--data", data, "--backup-to", copies, "--backup-every", "5s"])
        #expect(wrong.status == 2 && wrong.errors.contains("--backup-every"), "\(wrong.errors)")
    }
}
