import JSON
import Server
import TestSupport
import Testing
import WebLibrary

/// The documents that describe the server's own interfaces, and the row of one trigger.
@Suite struct DescriptionRouteTests {
    @Test func `a trigger is given as it was put`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let row: JSONValue = [
            "event": "create", "path": "products/{product}", "audience": "everyone", "kind": "news", "title": "T",
        ]
        #expect(try admin.call("PUT", "/v1/triggers/news", row).status == 200)
        let given = try admin.call("GET", "/v1/triggers/news").json()
        #expect(given["name"] == "news" && given["title"] == "T" && given["path"] == "products/{product}", "\(given)")
    }
}
