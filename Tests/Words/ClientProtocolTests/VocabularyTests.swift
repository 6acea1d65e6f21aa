import JSON
import Testing

@testable import ClientProtocol

/// Every command of the table, right and wrong in every member.
@Suite struct VocabularyTests {
    private func decode(_ value: JSONValue) throws(RefusedCommand) -> any Command {
        var value = value
        value["id"] = 7
        let message = try CommandMessage(value.bytes)
        #expect(message.id == RequestID(7))
        return try message.command()
    }

    /// Expects `bad-request` with the command's id, naming `field`.
    private func expectRefusal(
        of value: JSONValue,
        naming field: String,
        _ note: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(RefusedCommand) {
            _ = try decode(value)
            Issue.record("\(value.text.prefix(200)) was taken: \(note)", sourceLocation: sourceLocation)
        } catch {
            #expect(error.id == RequestID(7), note, sourceLocation: sourceLocation)
            #expect(error.refusal.code == .badRequest, note, sourceLocation: sourceLocation)
            #expect(error.refusal.field == field, note, sourceLocation: sourceLocation)
            #expect(error.refusal.message.hasPrefix(field), note, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: CommandTable.types.map { $0.name })
    func `every command of the table has an example`(name: String) {
        #expect(vocabulary.contains { $0.example["type"]?.stringValue == name && type(of: $0.command).name == name })
    }

    @Test(arguments: vocabulary)
    func `every member of the example is in the table`(row: CommandRow) {
        for member in row.example.objectValue?.members ?? [] where member.name != "type" {
            #expect(row.fields.contains { $0.path == member.name })
        }
    }

    @Test(arguments: vocabulary)
    func `the example is read as the command it says`(row: CommandRow) throws {
        #expect(AnyHashable(try decode(row.example)) == AnyHashable(row.command))
    }

    @Test(arguments: vocabulary)
    func `members that are unknown are ignored`(row: CommandRow) throws {
        var example = row.example
        example["futureField"] = ["deep": [1, "two", nil]]
        #expect(AnyHashable(try decode(example)) == AnyHashable(row.command))
    }

    @Test(arguments: vocabulary)
    func `a required member that is missing or null is named`(row: CommandRow) {
        for field in row.fields where field.isRequired {
            guard !field.isElement else { continue }
            expectRefusal(of: row.example.setting(field.path, nil), naming: field.missing, "\(field.path) missing")
            expectRefusal(of: row.example.setting(field.path, .null), naming: field.missing, "\(field.path) null")
        }
    }

    @Test(arguments: vocabulary)
    func `an optional member may be missing or null`(row: CommandRow) {
        for field in row.fields where !field.isRequired {
            #expect(throws: Never.self) { try decode(row.example.setting(field.path, nil)) }
            #expect(throws: Never.self) { try decode(row.example.setting(field.path, .null)) }
        }
    }

    @Test(arguments: vocabulary)
    func `a member of another type is named`(row: CommandRow) {
        let values: [JSONKind: JSONValue] = [.string: "a", .number: 7, .bool: true, .array: [], .object: [:]]
        for field in row.fields {
            for (kind, value) in values where !field.kinds.contains(kind) {
                expectRefusal(of: row.example.setting(field.path, value), naming: field.path, "\(field.path) \(kind)")
            }
        }
    }

    @Test(arguments: vocabulary)
    func `a member that is too long, out of range or not of its form is named`(row: CommandRow) {
        for field in row.fields {
            for value in field.refused {
                expectRefusal(
                    of: row.example.setting(field.path, value),
                    naming: field.path,
                    "\(field.path) \(value.text.prefix(40))"
                )
            }
        }
    }

    @Test(arguments: vocabulary)
    func `a command cut anywhere or changed in any byte never stops the decoder`(row: CommandRow) {
        let bytes = row.example.bytes
        for place in bytes.indices {
            #expect(throws: RefusedCommand.self) { try CommandMessage(Array(bytes[..<place])).command() }
            for byte: UInt8 in [0, 0x22, 0x2c, 0x30, 0x5c, 0x5d, 0x7b, 0x7d, 0xff] {
                var changed = bytes
                changed[place] = byte
                do throws(RefusedCommand) {
                    _ = try CommandMessage(changed).command()
                } catch {
                    #expect(!error.refusal.message.isEmpty)
                }
            }
        }
    }
}

extension FieldRow {
    /// An element of an array, which cannot be missing.
    var isElement: Bool { path.hasSuffix(".0") }
}

extension CommandMessage {
    /// The command itself.
    func command() throws(RefusedCommand) -> any Command {
        do throws(Refusal) {
            return try CommandTable.types[place].init(fields)
        } catch {
            throw RefusedCommand(id: id, refusal: error)
        }
    }
}

extension JSONValue {
    /// This object with another value at a dotted path; nil removes the member.
    func setting(_ path: String, _ value: JSONValue?) -> JSONValue {
        var copy = self
        let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
        if steps.count == 1 {
            copy[path] = value
        } else if steps[1] == "0" {
            copy[steps[0]] = .array([value ?? .null] + (self[steps[0]]?.arrayValue ?? []).dropFirst())
        } else {
            copy[steps[0]] = (self[steps[0]] ?? [:]).setting(steps[1], value)
        }
        return copy
    }
}
