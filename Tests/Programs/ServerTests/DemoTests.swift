import Demo
import Model
import Server
import TestSupport
import Testing

struct DemoTests {
    @Test func `the demo is there only when it was asked for`() throws {
        let plain = try HTTPPeer(port: TestServer.shared.get().port)
        #expect(try plain.request("GET", "/demo").status == 404)
        #expect(try plain.request("GET", "/demo/session?user=alice").status == 404)

        let alice = try #require(UserID("alice"))
        let english = try #require(LanguageTag("en"))
        let pages: Application.PagesMaker = { sign in
            DemoStage(
                .init(name: "film-network", title: "Films", panes: [(user: alice, device: nil)]),
                people: [.init(id: alice, name: "Alice", locale: english)], sign: sign)
        }
        let server = try TestServer(pages: pages) { _ in }
        defer { server.application.stop() }
        let staged = try HTTPPeer(port: server.port)
        #expect(try staged.request("GET", "/demo").headers["content-security-policy"]?.contains("'none'") == true)
        let session = try staged.request("GET", "/demo/session?user=alice")
        #expect(session.status == 200)
        #expect(session.text.contains(#""user":"alice","token":"ey"#))
        #expect(try staged.request("GET", "/demo/session?user=root").status == 404)
    }
}
