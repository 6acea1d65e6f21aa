import ClientProtocol
import Console
import Foundation
import JSON

/// Shows the place of a mistake in a row of the trigger table.
enum RowMistake {
    /// The text of the column with a mark under the mistake; nil when the refusal names no place.
    static func place(_ refusal: Refusal, in row: JSONValue) -> String? {
        guard var field = refusal.field, let character = character(in: refusal.message) else { return nil }
        if field.hasPrefix("row.") { field = String(field.dropFirst(4)) }
        guard let text = text(at: field[...], in: row) else { return nil }
        return "  \(field)\n" + Caret.lines(text, character: character)
    }

    /// The number in `… (at character 12)`.
    private static func character(in message: String) -> Int? {
        guard let start = message.range(of: "(at character ", options: .backwards) else { return nil }
        return Int(message[start.upperBound...].prefix { $0.isNumber })
    }

    /// The text of a field: `title.it`, `data.list[0]`, `condition`.
    private static func text(at field: Substring, in value: JSONValue) -> String? {
        if field.isEmpty { return value.stringValue }
        if field.first == "[" {
            guard let end = field.firstIndex(of: "]"),
                let index = Int(field[field.index(after: field.startIndex)..<end]),
                let list = value.arrayValue, list.indices.contains(index)
            else { return nil }
            return text(at: withoutDot(field[field.index(after: end)...]), in: list[index])
        }
        // The server writes languages in its own case, whatever the file has; names may contain dots.
        for (name, member) in value.objectValue?.members ?? [] where field.lowercased().hasPrefix(name.lowercased()) {
            let rest = field.dropFirst(name.count)
            guard rest.isEmpty || rest.first == "." || rest.first == "[" else { continue }
            if let found = text(at: withoutDot(rest), in: member) { return found }
        }
        return nil
    }

    private static func withoutDot(_ rest: Substring) -> Substring { rest.first == "." ? rest.dropFirst() : rest }
}
