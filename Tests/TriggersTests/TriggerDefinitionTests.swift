import JSON
import Model
import Testing
import Triggers

@Suite struct TriggerDefinitionTests {
    @Test func `a row is the same after a round trip, and its order is kept`() throws {
        let full = row(
            ("condition", "after ->> 'a' = 1"),
            ("kind", "release"),
            ("level", "time-sensitive"),
            ("collapse", "c:{{person}}"),
            ("ttl", 60),
            ("title", ["it": "I", "en": "E", "de-CH": "D"]),
            ("body", "B"),
            ("data", ["z": "1", "a": 2]),
            ("at", "after ->> 'at'"),
            ("webhook", "https://example.com:8443/hook?a=b"),
            ("enabled", false)
        )
        let definition = try TriggerDefinition(json: full)
        #expect(try TriggerDefinition(json: definition.json) == definition)
        #expect(definition.json.objectValue?.members.map(\.name) == TriggerDefinition.fields)
        #expect(definition.json["title"]?.text == #"{"it":"I","en":"E","de-CH":"D"}"#)
        #expect(definition.json["data"]?.text == #"{"z":"1","a":2}"#)
    }

    @Test func `absent and null columns have their defaults`() throws {
        let short = try TriggerDefinition(json: row())
        let null = try TriggerDefinition(
            json: row(
                ("kind", nil),
                ("level", nil),
                ("ttl", nil),
                ("body", nil),
                ("data", nil),
                ("at", nil),
                ("enabled", nil)
            )
        )
        #expect(short == null)
        #expect(short.kind == "a-trigger")
        #expect(short.level == .active)
        #expect(short.isEnabled)
        #expect(short.condition.isEmpty && short.at == nil && short.ttlSeconds == nil && short.webhook == nil)
    }

    @Test(
        arguments: [
            ("name", nil), ("name", ""), ("name", "A"), ("name", "a b"), ("name", "a_b"), ("name", 1), ("event", nil),
            ("event", "created"),
            ("path", nil), ("path", "people"), ("path", 5), ("condition", 1), ("audience", nil),
            ("audience", "user:{nobody}"),
            ("kind", ""), ("kind", "A"), ("kind", "a/b"), ("level", "high"), ("level", 3), ("collapse", 1),
            ("collapse", "{{x"),
            ("ttl", 0), ("ttl", -1), ("ttl", 1.5), ("ttl", "60"), ("ttl", .integer(.max)), ("title", nil), ("title", 1),
            ("title", [:]),
            ("title", ["a"]), ("body", true), ("data", "x"), ("data", []), ("at", 5), ("webhook", "ftp://x"),
            ("webhook", "https://"),
            ("webhook", "https://a b"), ("webhook", "https://u:p@host/"), ("webhook", "https://host/#f"),
            ("webhook", "//host"),
            ("webhook", "https://host:0/"), ("webhook", "https://host:99999/"), ("webhook", "https://[::1"),
            ("webhook", "https://[x]/"),
            ("webhook", "https://hö.st/"), ("enabled", 1), ("enabled", "true"), ("condtion", "1"), ("", "1"),
        ] as [(String, JSONValue)]
    )
    func `a wrong column is refused by its name`(field: String, value: JSONValue) {
        let problem = #expect(throws: TriggerProblem.self) { try TriggerDefinition(json: row((field, value))) }
        #expect(problem?.field == field)
        #expect(problem?.message.isEmpty == false)
    }

    @Test(
        arguments: [
            ("title.xx_", ["title": ["xx_": "a"]]), ("title.it", ["title": ["it": 1]]),
            ("title.IT", ["title": ["it": "a", "IT": "b"]]),
            ("body.de", ["body": ["de": "{{"]]), ("data.x", ["data": ["x": "{{y}}"]]),
        ] as [(String, JSONObject)]
    )
    func `a wrong member is refused by its place`(field: String, columns: JSONObject) throws {
        let column = try #require(columns.members.first)
        let problem = #expect(throws: TriggerProblem.self) {
            try TriggerDefinition(json: row((column.name, column.value)))
        }
        #expect(problem?.field == field)
    }

    @Test(arguments: [JSONValue.null, [], "row", 1])
    func `only an object is a row`(json: JSONValue) {
        #expect(throws: TriggerProblem.self) { try TriggerDefinition(json: json) }
    }

    @Test(arguments: [
        "https://example.com", "http://127.0.0.1:9000/hook", "https://[::1]:8443/x", "HTTPS://Example.com/?q=%20",
    ])
    func `a webhook has an address`(address: String) throws {
        #expect(try TriggerDefinition(json: row(("webhook", .string(address)))).webhook == address)
    }

    @Test(arguments: ["condition", "at"])
    func `an expression SQLite refuses is refused with its message and place`(field: String) throws {
        let definition = try TriggerDefinition(json: row((field, "after ->> titel")))
        let runner = try ConditionRunner()
        #expect(throws: TriggerProblem(field: field, message: "no such column: titel (at character 11)")) {
            try CompiledTrigger(definition, runner: runner)
        }
    }
}
