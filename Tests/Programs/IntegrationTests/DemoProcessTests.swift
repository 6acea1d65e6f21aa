import Foundation
import JSON
import TestSupport
import Testing

/// `watchwise demo`, where everybody may sign in as anybody: it must leave no door open afterwards.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct DemoProcessTests {
    let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }

    /// Plays the demo until it has printed the address of its page.
    private func play(_ more: [String] = []) throws -> (demo: ServerProcess, port: UInt16) {
        let demo = try ServerProcess(["demo", "--listen", "127.0.0.1:0", "--data", data] + more, lines: 2)
        let page = try #require(demo.lines.first { $0.hasPrefix("page: ") })
        let digits = page.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
        return (demo, try #require(UInt16(digits)))
    }

    @Test func `a token that the demo gave away opens nothing when the demo is over`() throws {
        let (demo, port) = try play()
        let session = try HTTPPeer(port: port).request("GET", "/demo/session?user=anna")
        let token = try #require(try JSONValue(parsing: session.body)["token"]?.stringValue)
        _ = try Chatter(port: port, token: token)
        demo.signal(SIGTERM)
        #expect(demo.wait() == 0)

        let server = try ServerProcess(data: data)
        let peer = try HTTPPeer(port: server.port)
        let answer = try peer.request(
            "POST", "/v1/commands", headers: [("Authorization", "Bearer \(token)")],
            body: Array(#"{"type":"ping"}"#.utf8))
        #expect(answer.status == 401, "\(answer.text)")
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        let (again, nextPort) = try play()
        let next = try HTTPPeer(port: nextPort).request(
            "POST", "/v1/commands", headers: [("Authorization", "Bearer \(token)")],
            body: Array(#"{"type":"ping"}"#.utf8))
        #expect(next.status == 401, "\(next.text)")
        again.signal(SIGTERM)
        #expect(again.wait() == 0)
    }

    @Test func `two demos without a given port take one each, and each prints its address`() throws {
        let first = try ServerProcess(["demo"], lines: 3)
        let second = try ServerProcess(["demo"], lines: 3)
        let ports = [first, second].map { demo in
            demo.lines.first { $0.hasPrefix("page: ") }?.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
        }
        #expect(Set(ports).count == 2)
        #expect(second.lines.contains { $0.hasSuffix("so the demo is at \(ports[1])") }, "\(second.lines)")
        for port in try ports.map({ try #require(UInt16($0)) }) {
            #expect(try HTTPPeer(port: port).request("GET", "/demo").status == 200)
        }
        for demo in [first, second] {
            demo.signal(SIGTERM)
            #expect(demo.wait() == 0)
        }
    }

    @Test func `the demo refuses a folder that is not the demo's`() throws {
        let server = try ServerProcess(data: data)
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        let before = try FileManager.default.contentsOfDirectory(atPath: data).sorted()
        // The address is invalid: a demo that accepts the folder ends with another message, and soon.
        let ended = try ServerProcess.run(["demo", "--listen", "192.0.2.250:1", "--data", data])
        #expect(ended.status == 2)
        #expect(ended.errors.contains("not the folder of a demo"), "\(ended.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: data).sorted() == before)
    }
}
