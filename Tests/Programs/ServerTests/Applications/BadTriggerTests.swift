import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// Bad rows end to end: they are refused when they are put, with the wrong column, and nothing else is harmed.
struct BadTriggerTests {
    static let good: JSONValue = [
        "event": "write", "path": "bad/{id}", "audience": "user:{after.owner}", "title": ["en": "{{after.v}}"],
    ]

    /// A column, an invalid value, and a part of the message about it.
    private static let wrong: [(column: String, value: JSONValue, says: String)] = [
        ("event", "created", "one of create, update, delete, write"), ("event", 1, "text"),
        ("path", "bad", "collection"), ("path", "bad/{id", "brace"), ("path", "bad/{id}/more/{id}", "id"),
        ("condition", "after->>'v' >", "not complete"), ("condition", "nobody > 1", "no such column"),
        ("condition", "(SELECT count(*) FROM notifications) > 0", "no such table"),
        ("condition", "random() > 0", "not authorized"), ("condition", 7, "text"),
        ("audience", "followers:{after.owner}", "followers:KIND:"), ("audience", "user:{owner}", "no {owner}"),
        ("audience", "user:", "names nobody"), ("audience", "all", "everyone"),
        ("kind", "Air Quality", "a-z"), ("level", "urgent", "passive"), ("collapse", "{{after.v", "closed"),
        ("ttl", 0, "seconds"), ("ttl", "1h", "seconds"), ("title", .null, "required"),
        ("title", ["en": "{{#after.v}}"], "closed"), ("title", ["english please": "x"], "language"),
        ("title", ["en": 1], "text"), ("title", ["en": "{{nobody.v}}"], "nobody"),
        ("body", ["it": "{{after.v}"], "closed"),
        ("data", ["v": "{{/after}}"], ""), ("data", "x", "object"),
        ("at", "datetime(after->>'at', 'localtime'", "not closed"), ("at", "sleep(1)", "no such function"),
        ("webhook", "ftp://example.com/", "https://"), ("webhook", "https://", "https://"),
        ("webhook", "https://user:secret@example.com/", "https://"), ("webhook", "not an address", "https://"),
        ("enabled", "yes", "true or false"), ("withdraw", "after->>", "not complete"),
        ("rearm", "before.v", "no such column"),
        ("throttle", ["seconds": 0], "whole number"), ("alertOnce", "no", "true or false"),
        ("levle", "active", "no such column"),
    ]

    @Test(arguments: wrong.indices)
    func `an impossible row is refused by its column, and the server goes on`(index: Int) throws {
        let (column, value, says) = Self.wrong[index]
        let server = try TestServer.shared.get()
        let admin = try server.admin()
        var row = Self.good
        row[column] = value
        let refused = try admin.call("PUT", "/v1/triggers/bad-\(index)", row)
        #expect(refused.status == 400, "\(column): \(value.text) → \(refused.text)")
        let problem = try refused.json()
        #expect(problem["code"] == "bad-request")
        let field = problem["field"]?.stringValue ?? ""
        #expect(field == column || field.hasPrefix(column + "."), "\(refused.text)")
        let text = problem["detail"]?.stringValue ?? refused.text
        #expect(text.localizedStandardContains(says) || says.isEmpty, "\(column): \(value.text) → \(text)")
        #expect(try admin.call("GET", "/v1/triggers/bad-\(index)").status == 404)
        #expect(try admin.call("GET", "/healthz").status == 200)
    }

    @Test func `a row that is good until a document comes fails alone: listed among the dead, the write stands`() throws
    {
        let server = try TestServer { $0.triggers = [] }
        defer { server.application.stop() }
        let admin = try server.admin()
        #expect(try admin.call("PUT", "/v1/triggers/bad", Self.good).status == 200)
        var other = Self.good
        other["audience"] = "user:owner"
        #expect(try admin.call("PUT", "/v1/triggers/good", other).status == 200)
        let reader = try server.device("owner")
        let answer = try admin.call("PUT", "/v1/documents/bad/1", ["owner": "no user", "v": 1])
        #expect(answer.status == 201 || answer.status == 200)
        let reports = try answer.json()["triggers"]?.arrayValue ?? []
        #expect(reports.first?["failed"]?.stringValue?.hasPrefix("audience: ") == true)
        #expect(reports.last?["notifications"] == 1)
        #expect(try reader.event("notification")["title"] == "1")
        let dead = try admin.call("GET", "/v1/dead").json()["dead"]?.arrayValue ?? []
        #expect(dead.texts("trigger") == ["bad"])
        #expect(try admin.call("GET", "/v1/documents/bad/1").status == 200)
    }
}
