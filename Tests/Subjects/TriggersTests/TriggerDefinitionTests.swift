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
            ("enabled", false),
            ("withdraw", "after IS NULL"),
            ("rearm", "after ->> 'index' <= 2"),
            ("throttle", ["seconds": 60, "max": 3]),
            ("alertOnce", true),
            ("with", ["who": "users/{person}", "film": "films/{after.film}"]),
            ("acrossTopics", true), ("blocks", "ignore")
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
                ("enabled", nil),
                ("withdraw", nil),
                ("rearm", "  "),
                ("throttle", nil),
                ("alertOnce", false),
                ("with", nil)
            )
        )
        #expect(short == null)
        #expect(short.kind == "a-trigger")
        #expect(short.level == .one(.active))
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
            ("webhook", "https://hö.st/"), ("enabled", 1), ("enabled", "true"), ("withdraw", 1),
            ("withdraw", true), ("rearm", ["x"]), ("rearm", .string(String(repeating: "1+", count: 5000) + "1")),
            ("throttle", 60), ("throttle", "60"), ("alertOnce", "true"), ("alertOnce", true), ("acrossTopics", 1),
            ("blocks", "off"),
            ("acrossTopics", true),
            ("condtion", "1"),
            ("with", "users/x"), ("with", ["a": "a/b", "b": "a/b", "c": "a/b", "d": "a/b", "e": "a/b"]),
            ("", "1"),
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
            ("throttle.seconds", ["throttle": [:]]), ("throttle.seconds", ["throttle": ["seconds": 0]]),
            ("throttle.seconds", ["throttle": ["seconds": .integer(.max)]]),
            ("throttle.max", ["throttle": ["seconds": 1, "max": 0]]),
            ("throttle.max", ["throttle": ["seconds": 1, "max": 1.5]]),
            ("throttle.per", ["throttle": ["seconds": 1, "per": "user"]]),
            ("throttle.by", ["throttle": ["seconds": 1, "by": "user"], "collapse": "c"]),
            ("throttle.by", ["throttle": ["seconds": 1, "by": "collapse"]]),
            ("level", ["level": [:]]), ("level", ["level": ["else": "active"]]), ("level", ["level": []]),
            ("level.high", ["level": ["high": "1"]]), ("level.critical", ["level": ["critical": ""]]),
            ("level.critical", ["level": ["critical": 1]]),
            ("level.else", ["level": ["critical": "1", "else": "loud"]]),
            ("with.person", ["with": ["person": "users/x"]]), ("with.after", ["with": ["after": "users/x"]]),
            ("with.a", ["with": ["a": 1]]), ("with.a", ["with": ["a": "users"]]),
            ("with.a", ["with": ["a": "users/{nobody}"]]), ("with.1", ["with": ["1": "users/x"]]),
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

    @Test func `levels by document are kept, the highest first`() throws {
        let level: JSONValue = ["active": "a", "else": "passive", "critical": "c"]
        let definition = try TriggerDefinition(json: row(("level", level)))
        #expect(definition.json["level"]?.text == #"{"critical":"c","active":"a","else":"passive"}"#)
        #expect(try TriggerDefinition(json: definition.json) == definition)
        let short = try TriggerDefinition(json: row(("level", ["critical": "c"])))
        #expect(short.json["level"]?["else"] == "active")
    }

    @Test func `a level's expression that SQLite refuses is refused by its place`() throws {
        let definition = try TriggerDefinition(json: row(("level", ["critical": "titel"])))
        let runner = try ConditionRunner()
        #expect(throws: TriggerProblem(field: "level.critical", message: "no such column: titel (at character 1)")) {
            try CompiledTrigger(definition, runner: runner)
        }
    }

    @Test func `a throttle that counts each collapse says so again`() throws {
        let column: JSONValue = ["seconds": 60, "max": 1, "by": "collapse"]
        let definition = try TriggerDefinition(json: row(("throttle", column), ("collapse", "c")))
        #expect(definition.throttle == Throttle(seconds: 60, max: 1, countsEachCollapse: true))
        #expect(definition.json["throttle"] == column)
    }

    @Test func `a throttle lets one through when it does not say how many`() throws {
        let definition = try TriggerDefinition(json: row(("throttle", ["seconds": 3600])))
        #expect(definition.throttle == Throttle(seconds: 3600, max: 1))
    }

    @Test(arguments: ["condition", "at", "withdraw", "rearm"])
    func `an expression SQLite refuses is refused with its message and place`(field: String) throws {
        let definition = try TriggerDefinition(json: row((field, "after ->> titel")))
        let runner = try ConditionRunner()
        #expect(throws: TriggerProblem(field: field, message: "no such column: titel (at character 11)")) {
            try CompiledTrigger(definition, runner: runner)
        }
    }
}
