import JSON
import Server
import TestSupport
import Testing

/// The documents that describe the server's own interfaces, and the row of one trigger.
@Suite struct DescriptionRouteTests {
    @Test func `both documents are given without a token, and name what the server serves`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let anybody = Admin(try HTTPPeer(port: server.port), token: nil)
        let document = { (target: String) in try anybody.call("GET", target).json() }
        let openAPI = try document("/v1/openapi.json")
        #expect(openAPI["openapi"] == "3.1.0")
        #expect(openAPI["paths"]?["/v1/erasures/{erasure}"]?["get"]?["operationId"] == "erasure.get")
        let asyncAPI = try document("/v1/asyncapi.json")
        #expect(asyncAPI["asyncapi"] == "3.0.0")
        #expect(asyncAPI["components"]?["messages"]?["command.send"] != nil)
    }

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
