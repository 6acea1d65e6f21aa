import JSON
import Model
import Server
import TestSupport
import Testing

struct TriggerMetricsTests {
    @Test func `the series of triggers without a name of their own has a name that no trigger can have`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        for name in ["other"] + (1...TriggerLimits.namedInMetricsMax).map({ "t\($0)" }) {
            let row: JSONValue = [
                "name": .string(name), "event": "write", "path": "items/{id}", "audience": "everyone", "title": "T",
            ]
            #expect(try admin.call("PUT", "/v1/triggers/\(name)", row).status == 200)
        }
        #expect(try admin.call("PUT", "/v1/documents/items/1", ["n": 1]).status == 200)
        let page = try admin.call("GET", "/metrics").text
        let series = page.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.prefix { $0 != " " } }
        #expect(Set(series).count == series.count)
        #expect(series.contains { $0.contains("trigger=\"other\"") })
        #expect(series.contains { $0.contains("trigger=\"(others)\"") })
    }
}
