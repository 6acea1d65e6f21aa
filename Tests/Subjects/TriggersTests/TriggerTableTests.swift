import JSON
import Model
import Testing
import Triggers

@Suite struct TriggerTableTests {
    private static func table(_ rows: [JSONValue]) throws -> TriggerTable {
        let runner = try ConditionRunner()
        return TriggerTable(try rows.map { try CompiledTrigger(TriggerDefinition(json: $0), runner: runner) })
    }

    private static func names(_ table: TriggerTable, _ path: String, _ event: ChangeEvent) throws -> [String] {
        table.watching(try DocumentPath(path)).flatMap(\.triggers).sorted(by: TriggerTable.comesFirst)
            .filter { $0.isConcerned(by: event) }.map(\.definition.name)
    }

    @Test func `candidates are those of the path and the event, by name`() throws {
        func named(_ name: String, _ path: String, _ event: String, _ isEnabled: Bool = true) -> JSONValue {
            row(
                ("name", .string(name)),
                ("path", .string(path)),
                ("event", .string(event)),
                ("audience", "everyone"),
                ("enabled", .bool(isEnabled))
            )
        }
        let table = try Self.table([
            named("z-create", "a/{x}", "create"), named("m-one", "a/1", "write"), named("a-write", "a/{x}", "write"),
            named("off", "a/{x}", "write", false), named("deep", "a/{x}/b/{y}", "update"),
            named("del", "a/{x}", "delete"),
            named("first", "a/7/b/{y}", "update"),
        ])
        #expect(try Self.names(table, "a/1", .create) == ["a-write", "m-one", "z-create"])
        #expect(try Self.names(table, "a/2", .create) == ["a-write", "z-create"])
        #expect(try Self.names(table, "a/1", .update) == ["a-write", "m-one"])
        #expect(try Self.names(table, "a/2", .delete) == ["a-write", "del"])
        #expect(try Self.names(table, "a/1/b/2", .update) == ["deep"])
        #expect(try Self.names(table, "a/7/b/2", .update) == ["deep", "first"])
        #expect(try Self.names(table, "a/1/b/2", .create) == [])
        #expect(try Self.names(table, "b/1", .create) == [])
        #expect(try Self.names(table, "a/1/c/2", .update) == [])
        #expect(table.triggers.count == 7)
    }

    @Test func `a thousand triggers elsewhere are not even looked at`() throws {
        let elsewhere = (1...1000).map { number in
            row(
                ("name", .string("t\(number)")),
                ("path", .string("c\(number)/{x}")),
                ("audience", "everyone"),
                ("condition", "after ->> 'a' = 1")
            )
        }
        let here = row(("name", "here"), ("path", "people/{p}"), ("audience", "everyone"))
        let table = try Self.table(elsewhere + [here])
        #expect(try Self.names(table, "people/1", .create) == ["here"])
        #expect(try Self.names(table, "c500/1", .create) == ["t500"])
        #expect(try Self.names(table, "nobody/1", .create) == [])
        #expect(table.triggers.count == 1001)
    }

    @Test func `a thousand triggers on other ids of the same collections are not looked at either`() throws {
        let elsewhere = (1...1000).flatMap { number in
            ["stations/\(number)", "stations/\(number)/sensors/{sensor}", "stations/{s}/sensors/\(number)"].enumerated()
                .map { index, path in
                    row(
                        ("name", .string("t\(number)-\(index)")),
                        ("path", .string(path)),
                        ("audience", "everyone")
                    )
                }
        }
        let table = try Self.table(elsewhere)
        #expect(try Self.names(table, "stations/7", .create) == ["t7-0"])
        #expect(try Self.names(table, "stations/7/sensors/9", .update) == ["t7-1", "t9-2"])
        #expect(try Self.names(table, "stations/x/sensors/y", .update) == [])
        #expect(table.watches(["stations"]) && table.watches(["stations", "sensors"]))
        #expect(!table.watches(["sensors"]) && !table.watches([]))
    }

    @Test func `a change of another event concerns those that withdraw, rearm, or have scheduled`() throws {
        func named(_ name: String, _ event: String, _ columns: (String, JSONValue)...) -> JSONValue {
            var object =
                row(("name", .string(name)), ("path", "a/{x}"), ("event", .string(event)), ("audience", "everyone"))
                .objectValue ?? [:]
            for (column, value) in columns { object[column] = value }
            return .object(object)
        }
        let table = try Self.table([
            named("at", "create", ("at", "now")), named("at-delete", "delete", ("at", "now")), named("plain", "create"),
            named("rearm", "create", ("rearm", "1")), named("withdraw", "update", ("withdraw", "1")),
        ])
        #expect(try Self.names(table, "a/1", .create) == ["at", "at-delete", "plain", "rearm", "withdraw"])
        #expect(try Self.names(table, "a/1", .update) == ["at", "rearm", "withdraw"])
        #expect(try Self.names(table, "a/1", .delete) == ["at-delete", "rearm", "withdraw"])
        #expect(table.watching(try DocumentPath("a/1")).flatMap(\.triggers).count == 5)
    }
}
