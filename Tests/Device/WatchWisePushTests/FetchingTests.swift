import Foundation
import JSON
import TestSupport
import Testing
import WatchWisePush

/// The content of a hidden push comes from the server's own address, and the user's token goes nowhere else.
struct FetchingTests {
    private let push: PushMessage

    init() throws {
        let json = #"{"aps":{"alert":{"title":"New notification"}},"ww":{"v":1,"id":"n4711","badge":1}}"#
        push = try PushMessage(json: Data(json.utf8), keys: nil)
        #expect(push.isHidden)
    }

    @Test func `the content is fetched with the token`() async throws {
        let server = try WebServer { _ in
            WebServer.Answer(body: Array(#"{"ok":{"title":"Oppenheimer","topic":"person:525"}}"#.utf8))
        }
        defer { server.stop() }
        let shown = try await push.fetched(from: "http://127.0.0.1:\(server.port)", token: "t")
        #expect(shown.title == "Oppenheimer")
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer t"])
    }

    @Test(arguments: [301, 302, 307, 308])
    func `a redirection is not followed`(status: Int) async throws {
        let stranger = try WebServer { _ in WebServer.Answer(body: Array(#"{"ok":{"title":"x"}}"#.utf8)) }
        defer { stranger.stop() }
        let port = stranger.port
        let server = try WebServer { _ in
            WebServer.Answer(status: status, headers: [("Location", "http://127.0.0.1:\(port)/v1/commands")])
        }
        defer { server.stop() }
        await #expect(throws: PushError.self) {
            try await push.fetched(from: "http://127.0.0.1:\(server.port)", token: "t")
        }
        #expect(server.requests.count == 1 && stranger.requests.isEmpty)
    }

    @Test(arguments: ["http://watchwise.example.org", "ftp://127.0.0.1", "watchwise.example.org", ""])
    func `an address without TLS gets no token`(server: String) async throws {
        await #expect(throws: PushError.self) { try await push.fetched(from: server, token: "t") }
    }
}
