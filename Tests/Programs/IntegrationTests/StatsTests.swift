import Foundation
import TestSupport
import Testing

/// `watchwise stats` of a server that runs.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct StatsTests {
    private let folder = TemporaryFolder()

    @Test func `no line of a real server is wider than 80 columns`() throws {
        let server = try ServerProcess(data: folder.path, arguments: ["--listen", "127.0.0.1:0"])
        let there = ["--server", "http://127.0.0.1:\(server.port)", "--data", folder.path]
        #expect(try ServerProcess.run(["put", "films/1", #"{"name": "Roma"}"#] + there).status == 0)
        var lines: [Substring] = []
        // The first sweep comes a moment after the start.
        for _ in 0..<200 where !lines.contains(where: { $0.hasPrefix("  log ") }) {
            let ended = try ServerProcess.run(["stats"] + there)
            #expect(ended.status == 0, "\(ended.errors)")
            lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
        }
        #expect(lines.filter { $0.count > 80 } == [])
        #expect(lines.contains { $0.hasPrefix("RETENTION") } && lines.contains { $0.hasPrefix("  log ") })
        #expect(lines.contains { $0.hasPrefix("  documents ") && $0.hasSuffix(" 1") })
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }
}
