import ClientProtocol
import Demo
import Gateway
import JSON
import Model
import Testing
import Wire

/// The pages of the demo, without a server.
struct DemoStageTests {
    private func stage() throws -> DemoStage {
        let anna = try #require(UserID("anna"))
        let english = try #require(LanguageTag("en"))
        return DemoStage(
            .init(about: "A demo.", trying: "Write."), people: [.init(id: anna, name: "Anna", locale: english)],
            page: .chat(films: [], players: [anna])
        ) { "a token of \($0.text)" }
    }

    private func answer(_ method: String, _ target: String) throws -> HTTPResponse? {
        var (parser, events) = (HTTPRequestParser(), [HTTPRequestEvent]())
        parser.receive(Array("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8), into: &events)
        guard case .head(let head)? = events.first else { return nil }
        return try stage().response(to: head)
    }

    @Test func `every file of the page is there, under its type, and forbids what is not its own`() throws {
        let files = [
            "/demo": "text/html", "/demo/chat.js": "text/javascript", "/demo/connection.js": "text/javascript",
            "/demo/notify.js": "text/javascript", "/demo/push.js": "text/javascript", "/demo/chat.css": "text/css",
            "/demo/inbox.js": "text/javascript", "/demo/inbox.css": "text/css",
        ]
        for (path, type) in files {
            let response = try #require(try answer("GET", path), "\(path)")
            #expect(response.headers["Content-Type"]?.hasPrefix(type) == true, "\(path)")
            #expect(response.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true, "\(path)")
            #expect(!response.body.isEmpty, "\(path)")
        }
    }

    @Test func `the service worker may serve the page, which is not in its folder`() throws {
        #expect(try answer("GET", "/demo/push.js")?.headers["Service-Worker-Allowed"] == "/demo")
        #expect(try answer("GET", "/demo/notify.js")?.headers["Service-Worker-Allowed"] == nil)
    }

    @Test func `one of the cast gets a token at the one path that gives tokens away`() throws {
        let stage = try stage()
        #expect(stage.givesToken("/demo/session") && !stage.givesToken("/demo"))
        let response = try #require(try answer("GET", "/demo/session?user=anna"))
        let body = try JSONValue(parsing: response.body)
        #expect(body["token"] == "a token of anna" && body["user"] == "anna")
        #expect(throws: Refusal.self) { try answer("GET", "/demo/session?user=root") }
        #expect(throws: Refusal.self) { try answer("GET", "/demo/session") }
    }

    @Test func `it owns its paths alone, and is only read`() throws {
        let stage = try stage()
        for path in ["/", "/demo", "/demo/chat.js"] { #expect(stage.owns(path), "\(path)") }
        for path in ["/demos", "/v1/ws", "/metrics"] { #expect(!stage.owns(path), "\(path)") }
        #expect(try answer("POST", "/demo") == nil)
        #expect(try answer("GET", "/demo/nothing") == nil)
    }
}
