import Foundation
import TestSupport
import Testing

/// `watchwise serve` from an operator's view.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct ServeTests {
    let folder = TemporaryFolder()

    @Test func `one line for each listener, with the port that was picked, and nothing else`() throws {
        let server = try ServerProcess(
            data: folder.path,
            arguments: ["--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0"],
            listeners: 2
        )
        #expect(server.lines.count == 2)
        for line in server.lines {
            #expect(line.hasPrefix("listening on 127.0.0.1:"))
            let port = try #require(UInt16(line.dropFirst("listening on 127.0.0.1:".count)))
            #expect(try HTTPPeer(port: port).request("GET", "/healthz").status == 200)
        }
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        #expect(try server.rest().isEmpty)
    }

    @Test func `the folder is for its owner alone, the secret too`() throws {
        let server = try ServerProcess(data: folder.path)
        let mode = { (path: String) in
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(folder.path) == 0o700)
        #expect(try mode(folder.path + "/secret") == 0o600)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/watchwise.db"))
        server.signal(SIGINT)
        #expect(server.wait() == 0)
    }

    @Test func `a second server on the same folder refuses with 1 and says so`() throws {
        let server = try ServerProcess(data: folder.path)
        let second = try ServerProcess.run(["serve", "--listen", "127.0.0.1:0", "--data", folder.path])
        #expect(second.status == 1)
        #expect(second.output.isEmpty)
        #expect(second.errors.contains(folder.path))
        #expect(try HTTPPeer(port: server.port).request("GET", "/healthz").status == 200)
    }

    @Test(arguments: [
        ["serve", "--colour", "red"], ["serve", "--loops", "many"],
        ["serve", "--listen", "nowhere", "--data", NSTemporaryDirectory() + "watchwise-never"], ["dance"], ["token"],
        ["token", "not a user"],
    ])
    func `bad usage ends with 2 and a message`(_ arguments: [String]) throws {
        let ended = try ServerProcess.run(arguments)
        #expect(ended.status == 2)
        #expect(ended.output.isEmpty)
        #expect(!ended.errors.isEmpty)
    }

    @Test func `the help says what compression with a kept window gives away`() throws {
        let help = try ServerProcess.run(["serve", "--help"]).output.split(whereSeparator: \.isWhitespace)
        #expect(help.joined(separator: " ").contains("can guess private texts, even through TLS"))
    }

    @Test func `token prints a token and nothing else, and the server takes it`() throws {
        let server = try ServerProcess(data: folder.path)
        let ended = try ServerProcess.run(["token", "operator", "--admin", "--data", folder.path])
        #expect(ended.status == 0)
        #expect(ended.output.split(separator: "\n").count == 1)
        #expect(ended.errors.isEmpty)
        let token = ended.output.trimmingCharacters(in: .newlines)
        let stats = try HTTPPeer(port: server.port).request(
            "GET",
            "/v1/stats",
            headers: [("Authorization", "Bearer \(token)")]
        )
        #expect(stats.status == 200)
    }
}
