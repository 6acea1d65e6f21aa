import Foundation
import JSON
import TestSupport
import Testing

/// `watchwise ready`, beside a server that runs, stops, or is not there.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct ReadyTests {
    private let folder = TemporaryFolder()

    private func ready(_ port: Int, _ more: String...) throws -> (status: Int32, output: String, errors: String) {
        let ended = try ServerProcess.run(["ready", "--server", "http://127.0.0.1:\(port)"] + more)
        return (ended.status, ended.output, ended.errors)
    }

    @Test func `a server is ready, says why it is not, and is not reached after its end`() throws {
        let server = try ServerProcess(
            data: folder.path, arguments: ["--listen", "127.0.0.1:0", "--stop-notice", "3s"])
        let port = Int(server.port)
        let first = try ready(port, "--wait", "10", "--writes")
        #expect(first.status == 0 && first.output == "http://127.0.0.1:\(port) is ready\n", "\(first)")
        #expect(try ready(port, "--json").output == "{\"ready\":true}\n")
        server.signal(SIGTERM)
        var stopping = try ready(port, "--json")
        while stopping.status == 0 { stopping = try ready(port, "--json") }
        let answer = try JSONValue(parsing: Array(stopping.output.utf8))
        #expect(stopping.status == 1 && answer["ready"] == false)
        #expect(answer["reason"]?.stringValue?.hasSuffix("is not ready: draining") == true, "\(stopping)")
        #expect(server.wait() == 0)
        let ended = try ready(port)
        #expect(ended.status == 1 && ended.errors.contains("cannot reach http://127.0.0.1:\(port)"), "\(ended)")
    }

    @Test func `the command waits for as long as it is asked to, and refuses a time that is not one`() throws {
        let began = ContinuousClock.now
        let waited = try ready(1, "--wait", "1")
        let took = ContinuousClock.now - began
        #expect(waited.status == 1 && took >= .seconds(1))
        for wrong in ["-1", "86401", "soon"] {
            let ended = try ready(1, "--wait=\(wrong)")
            #expect(ended.status == 2 && ended.errors.contains("--wait"), "\(ended)")
        }
    }
}
