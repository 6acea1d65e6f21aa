import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Testing
import TriggerExecution

/// Errors about a row that say what to do.
struct TeachingErrorTests {
    private static let row: JSONObject = [
        "event": "write", "path": "items/{item}", "audience": "user:{item}", "title": "t",
    ]

    private func refusal(_ name: String, _ value: JSONValue?) throws -> Refusal {
        var row = Self.row
        row[name] = value
        let house = try House()
        return try house.refusal {
            try house.write(PutTrigger(name: "a", row: row, key: nil), by: "admin")
        }
    }

    @Test(
        arguments: [("title", ""), ("title", " \n"), ("title", "\u{200b}\u{ad}"), ("title", ["it": "ciao", "en": ""])]
            as [(String, JSONValue)])
    func `a row without a title is refused, with the place`(name: String, value: JSONValue) throws {
        let refused = try refusal(name, value)
        let field = value.objectValue == nil ? "title" : "title.en"
        #expect(refused.field == field)
        #expect(refused.message == "\(field) \(ShownText.rule), and a notification needs a title")
    }

    @Test func `a row of an earlier version without a title still fires`() throws {
        let house = try House()
        var row = Self.row
        for (name, value) in [("name", "a"), ("title", ""), ("body", "b")] as [(String, JSONValue)] {
            row[name] = value
        }
        try house.store("a", row: JSONValue.object(row).text)
        try house.put("items/bob", ["n": 1])
        #expect(try house.notifications("bob").texts("notifications", "body") == ["b"])
    }

    @Test(arguments: ["audience", "title", "event", "path"])
    func `a missing column is the subject of its error`(column: String) throws {
        #expect(try refusal(column, nil).message.hasPrefix("\(column) is required"))
    }

    @Test(arguments: [("enabled", 1), ("ttl", "x"), ("condition", 1)] as [(String, JSONValue)])
    func `a wrong column is the subject of its error`(column: String, value: JSONValue) throws {
        #expect(try refusal(column, value).message.hasPrefix("\(column) must be "))
    }

    @Test func `texts stand in single quotes`() throws {
        let refused = try refusal("condition", "after ->> 'kind' = \"a\"")
        #expect(refused.field == "condition")
        #expect(refused.message.hasPrefix("no such column: a; texts stand in single quotes: 'a'"))
    }

    @Test func `forms that no language takes are warnings, and the row is put`() throws {
        let house = try House()
        var row = Self.row
        row["title"] = [
            "tlh": "{{#plural(after.n)}}{{#one}}a{{/one}}{{#other}}b{{/other}}{{/plural(after.n)}}", "en": "t",
        ]
        let answer = try house.write(PutTrigger(name: "a", row: row, key: nil), by: "admin")
        #expect(answer.texts("warnings").count == 1)
        #expect(answer.texts("warnings").first?.hasPrefix("title.tlh: no plural forms are known for tlh") == true)
    }
}
