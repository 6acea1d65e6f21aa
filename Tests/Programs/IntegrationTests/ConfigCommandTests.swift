import Foundation
import JSON
import TestSupport
import Testing

/// `watchwise config`, and a start with a mistake in the file.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct ConfigCommandTests {
    private let folder = TemporaryFolder()

    private func file(_ text: String) throws -> String {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let path = folder.path + "/watchwise.json"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func `values are shown with their places, and passwords are not`() throws {
        let path = try file(
            """
            {
              // Two nodes.
              "journal": ["nats://node:hidden1@10.0.0.1:4222"],
              "feeds": [{"name": "n", "kind": "tmdb", "key": "hidden2", "interval": "10m", "url": "https://a.example"}],
            }
            """)
        let ended = try ServerProcess.run(["config", "show", "--config", path])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(!ended.output.contains("hidden") && ended.output.contains("nats://node:…@10.0.0.1:4222"))
        #expect(ended.output.contains("watchwise.json:3") && ended.output.contains("watchwise.json:4"))
        let all = try ServerProcess.run(["config", "show", "--config", path, "--all", "--json"])
        let rows = try #require(try JSONValue(parsing: Array(all.output.utf8)).arrayValue)
        let listen = try #require(rows.first { $0["key"] == "listen" })
        #expect(listen["from"] == "default" && listen["value"] == "127.0.0.1:8080" && rows.count > 60)
    }

    @Test func `a mistake in the file is shown with its line, by 'config show' and by 'serve', which does not start`()
        throws
    {
        let path = try file("{\n  \"listen\": [\"127.0.0.1:0\"],\n  \"loops\": \"two\"\n}\n")
        for words in [
            ["config", "show", "--config", path], ["serve", "--config", path, "--data", folder.path + "/d"],
        ] {
            let ended = try ServerProcess.run(words)
            #expect(ended.status == 2, "\(ended)")
            #expect(ended.errors.contains("'loops' must be a whole number"))
            #expect(ended.errors.contains("line 3, column 12:   \"loops\": \"two\""), "\(ended.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/d"))
    }

    @Test func `the example is a file that a server starts with`() throws {
        let example = try ServerProcess.run(["config", "example"])
        #expect(example.status == 0)
        let path = try file(example.output)
        let shown = try ServerProcess.run(["config", "show", "--config", path])
        #expect(shown.status == 0 && shown.errors.contains("Every setting has its default"), "\(shown)")
        let server = try ServerProcess(
            data: folder.path + "/d", arguments: ["--listen", "127.0.0.1:0", "--config", path])
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }
}
