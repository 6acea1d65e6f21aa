import Foundation
import JSON
import TestSupport
import Testing

/// Feeds of the real program, which may be killed at any moment.
struct FeedProcessTests {
    static let rss = "<rss><channel><item><guid>1</guid><title>Exams</title></item></channel></rss>"

    private static func arguments(_ folder: String, _ port: UInt16) throws -> [String] {
        let feed: JSONValue = [
            "name": "dept", "kind": "rss", "url": .string("http://127.0.0.1:\(port)/rss"), "interval": "1h",
        ]
        let configuration: JSONValue = ["feeds": [feed], "outbound-allow": "127.0.0.0/8"]
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/configuration.json"
        try configuration.text.write(toFile: file, atomically: true, encoding: .utf8)
        return ["--listen", "127.0.0.1:0", "--config", file]
    }

    private static func feeds(_ arguments: [String], _ server: ServerProcess, _ data: String) throws
        -> ServerProcess.Ended
    {
        try ServerProcess.run(
            ["feeds"] + arguments + ["--server", "http://127.0.0.1:\(server.port)", "--data", data])
    }

    @Test(.enabled(if: ServerProcess.binary != nil, "the program is not built"))
    func `kill -9 after an answer was written loses neither the documents nor the place`() throws {
        let folder = TemporaryFolder()
        let source = try WebServer { request in
            guard request.headers["if-none-match"] != "\"1\"" else { return WebServer.Answer(status: 304) }
            return WebServer.Answer(headers: [("ETag", "\"1\"")], body: Array(Self.rss.utf8))
        }
        defer { source.stop() }
        let data = folder.path + "/data"
        let arguments = try Self.arguments(folder.path, source.port)
        let first = try ServerProcess(data: data, arguments: arguments)
        for _ in 0..<200 {
            let listed = try JSONValue(parsing: Array(Self.feeds(["list", "--json"], first, data).output.utf8))
            if listed["feeds"]?.arrayValue?.first?["state"]?["written"] == 1 { break }
            Thread.sleep(forTimeInterval: 0.05)
        }
        first.signal(SIGKILL)
        _ = first.wait()
        #expect(source.requests.count == 1)

        let second = try ServerProcess(data: data, arguments: arguments)
        Thread.sleep(forTimeInterval: 0.5)
        #expect(source.requests.count == 1, "it is not due")
        let ran = try Self.feeds(["run", "dept"], second, data)
        #expect(ran.status == 0)
        for _ in 0..<200 where source.requests.count < 2 { Thread.sleep(forTimeInterval: 0.05) }
        #expect(source.requests.last?.headers["if-none-match"] == "\"1\"")
        let shown = try Self.feeds(["show", "dept"], second, data)
        #expect(shown.output.contains("\"kind\": \"rss\""))
        second.signal(SIGTERM)
        #expect(second.wait() == 0)
    }

    @Test(.enabled(if: ServerProcess.binary != nil, "the program is not built"))
    func `a feed is tried, put, listed and deleted on the command line`() throws {
        let folder = TemporaryFolder()
        let source = try WebServer { _ in WebServer.Answer(body: Array(Self.rss.utf8)) }
        defer { source.stop() }
        let data = folder.path + "/data"
        let server = try ServerProcess(
            data: data, arguments: ["--listen", "127.0.0.1:0", "--outbound-allow", "127.0.0.0/8"])
        let file = folder.path + "/feed.json"
        let feed: JSONValue = [
            "name": "dept", "kind": "rss", "url": .string("http://127.0.0.1:\(source.port)/rss"), "key": "sesame",
        ]
        try feed.text.write(toFile: file, atomically: true, encoding: .utf8)
        let tried = try Self.feeds(["test", file], server, data)
        #expect(tried.status == 0 && tried.output.contains("create  announcements/1"), "\(tried)")
        #expect(try Self.feeds(["put", file], server, data).output.hasPrefix("feed dept is in force from seq "))
        let listed = try Self.feeds([], server, data)
        #expect(listed.output.contains("dept") && !listed.output.contains("sesame"))
        #expect(try Self.feeds(["delete", "dept"], server, data).status == 0)
        let refused = try Self.feeds(["delete", "dept"], server, data)
        #expect(refused.status == 1 && refused.errors.contains("there is no feed dept"))
    }
}
