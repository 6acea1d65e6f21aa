import Foundation
import JSON
import Server

extension JSONValue {
    /// The value over several lines, indented by two blanks; what is empty or a list of plain values stays on one.
    var pretty: String { pretty(indent: "") }

    private func pretty(indent: String) -> String {
        let deeper = indent + "  "
        switch self {
        case .object(let object) where !object.isEmpty:
            let lines = object.members.map { member in
                deeper + JSONValue.string(member.name).text + ": " + member.value.pretty(indent: deeper)
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
        case .array(let values) where values.contains { $0.objectValue != nil || $0.arrayValue != nil }:
            return "[\n" + values.map { deeper + $0.pretty(indent: deeper) }.joined(separator: ",\n") + "\n"
                + indent + "]"
        default: return text
        }
    }
}

/// JSON as it is given on the command line: the text itself, `@FILE`, or `-` for standard input.
enum JSONArgument {
    /// - Parameter name: of the argument, for messages.
    static func value(_ argument: String, name: String) throws -> JSONValue {
        let place: String
        let bytes: [UInt8]
        if argument == "-" {
            place = "standard input"
            bytes = Array(FileHandle.standardInput.readDataToEndOfFile())
        } else if argument.hasPrefix("@") {
            place = String(argument.dropFirst())
            bytes = try Files.read(place)
        } else {
            place = name
            bytes = Array(argument.utf8)
        }
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            let field = error.field.isEmpty ? "" : ": '\(error.field)'"
            let text = String(decoding: bytes, as: UTF8.self)
            let character = String(decoding: bytes.prefix(error.offset), as: UTF8.self).count + 1
            throw CommandFailure(
                .misused,
                "\(place)\(field) is no JSON: \(error.message)\n" + Caret.lines(text, character: character))
        }
    }

    /// Likewise, an object.
    static func object(_ argument: String, name: String) throws -> JSONValue {
        let value = try value(argument, name: name)
        guard value.objectValue != nil else {
            throw CommandFailure(.misused, "\(name) must be a JSON object, such as '{\"title\": \"Arrival\"}'")
        }
        return value
    }
}

/// Files named on the command line.
enum Files {
    static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    static func read(_ path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            // What lies in a folder that is closed is not seen either.
            let isClosed = (error as? CocoaError)?.code == .fileReadNoPermission
            guard !isClosed else {
                throw CommandFailure(.misused, "the file \(path) cannot be read\(FolderOwner.hint(ofFile: path))")
            }
            let reason = FileManager.default.fileExists(atPath: path) ? "cannot be read" : "is not there"
            throw CommandFailure(.misused, "the file \(path) \(reason)")
        }
    }
}
