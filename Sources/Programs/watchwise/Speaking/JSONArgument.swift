import Console
import Foundation
import JSON

/// Reads a JSON argument: the text itself, `@FILE`, or `-` for standard input.
enum JSONArgument {
    /// - Parameter name: The argument's name, for messages.
    static func value(_ argument: String, name: String) throws -> JSONValue {
        let place: String
        let bytes: [UInt8]
        if argument == "-" {
            place = "standard input"
            bytes = try standardInput()
        } else if argument.hasPrefix("@") {
            place = String(argument.dropFirst())
            bytes = try Files.read(place)
        } else {
            place = name
            bytes = Array(argument.utf8)
        }
        do {
            return try JSONValue(parsingText: bytes)
        } catch {
            let field = error.field.isEmpty ? "" : ": '\(error.field)'"
            let text = String(decoding: bytes, as: UTF8.self)
            let character = String(decoding: bytes.prefix(error.offset), as: UTF8.self).count + 1
            throw CommandFailure(
                .misused,
                "\(place)\(field) is not JSON: \(error.message)\n" + Caret.lines(text, character: character))
        }
    }

    static func standardInput() throws -> [UInt8] {
        do {
            return try Array(FileHandle.standardInput.readToEnd() ?? Data())
        } catch {
            throw CommandFailure(.misused, "standard input cannot be read: it must be a file or a pipe")
        }
    }

    /// The content of a file that an argument names; `-` is standard input.
    static func file(_ path: String) throws -> JSONValue {
        try value(path == "-" ? path : "@" + path, name: path)
    }

    /// The same for an object.
    static func object(_ argument: String, name: String) throws -> JSONValue {
        let value = try value(argument, name: name)
        guard value.objectValue != nil else {
            throw CommandFailure(.misused, "\(name) must be a JSON object, such as '{\"title\": \"Arrival\"}'")
        }
        return value
    }
}
