import JSON
import Model
import TestSupport
import Testing

@testable import ClientProtocol

/// The forms of commands and events, from which the AsyncAPI document is made, against what is decoded and written.
@Suite struct FormTests {
    /// Rules that a schema has no words for.
    private static let beyondSchemas: Set<String> = [
        // The two ids of a pair are sorted and differ, and `room` is no user.
        "bob:alice", "alice:alice", "room", "user:room",
        // A path has pairs of collection and id.
        "a/b/c",
        // A day that no calendar has.
        "2026-13-01T00:00:00Z",
    ]

    private func form(of row: CommandRow) throws -> ValueForm {
        let name = try #require(row.example["type"]?.stringValue)
        return AsyncAPI.command(try #require(CommandTable.types.first { $0.name == name }))
    }

    @Test func `a form has exactly the fields that the command reads`() {
        for type in CommandTable.types {
            let (name, form) = (type.name, type.form)
            let rows = vocabulary.filter { $0.example["type"]?.stringValue == name }
            let read = Set(rows.flatMap(\.fields).map(\.path).filter { !$0.contains(".") })
            #expect(Set(form.fields.joined().map(\.name)) == read, "\(name)")
        }
    }

    @Test(arguments: vocabulary)
    func `an example fits its form, and without its optional fields, too`(row: CommandRow) throws {
        let form = try form(of: row)
        #expect(form.admits(row.example))
        for field in row.fields where !field.isRequired {
            #expect(form.admits(row.example.setting(field.path, nil)), "\(field.path)")
            if !field.path.contains(".") { #expect(form.admits(row.example.setting(field.path, .null))) }
        }
    }

    @Test(arguments: vocabulary)
    func `values that are refused do not fit, nor does a command without a required field`(row: CommandRow) throws {
        let form = try form(of: row)
        let values: [JSONKind: JSONValue] = [.string: "a", .number: 7, .bool: true, .array: [], .object: [:]]
        for field in row.fields {
            for (kind, value) in values where !field.kinds.contains(kind) {
                #expect(!form.admits(row.example.setting(field.path, value)), "\(field.path) \(kind)")
            }
            // An emoji is one character as people count them, which shows something and has few bytes.
            for value in field.refused
            where field.path != "emoji" && !(value.stringValue.map(Self.beyondSchemas.contains) ?? false) {
                #expect(!form.admits(row.example.setting(field.path, value)), "\(field.path) \(value.text.prefix(40))")
            }
            // The id of the command may name the notification, a sealed push brings its keys, and a report about a message
            // its chat.
            let isConditional =
                ["notification", "keys"].contains(field.path)
                || field.path == "chat" && row.example["type"] == "report"
            guard field.isRequired, !field.isElement, !isConditional else { continue }
            #expect(!form.admits(row.example.setting(field.path, nil)), "\(field.path) missing")
        }
    }

    @Test func `each event fits its form, which names all its members`() throws {
        for example in try EventTests.examples() {
            let value = try JSONValue(parsing: example.bytes)
            #expect(AsyncAPI.event(example.name).admits(value), "\(example.text)")
            let known = Set(EventForms.members(of: example.name).map(\.name) + ["type"])
            let written = Set((value.objectValue?.members ?? []).map(\.name))
            #expect(written.subtracting(known).isEmpty, "\(example.text)")
        }
    }

    @Test func `the document has each command, its reply and each event`() throws {
        let document = try JSONValue(parsing: AsyncAPI.bytes, depthMax: 64)
        #expect(document["asyncapi"] == "3.0.0")
        let operations = document["operations"]?.objectValue?.members.map(\.name) ?? []
        let wanted = CommandTable.types.map { "command.\($0.name)" } + EventName.allCases.map { "event.\($0.rawValue)" }
        #expect(Set(operations) == Set(wanted))
        let send = document["components"]?["messages"]?["command.send"]?["payload"]?["anyOf"]?.arrayValue?.first
        #expect(send?["required"] == ["type", "chat", "text", "key"])
    }
}

extension ValueForm {
    /// Whether a value fits, as the JSON Schema of the form says it.
    func admits(_ value: JSONValue) -> Bool { JSONSchema(.object(schema)).admits(value) }
}
