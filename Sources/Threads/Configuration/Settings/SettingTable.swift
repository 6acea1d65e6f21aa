package import JSON

/// All settings, and the table of them in the forms in which it is published.
///
/// - Confinement: any
package enum SettingTable {
    /// In the order of their groups.
    package static let settings = ServerConfiguration.groups.flatMap { $0.settings }

    private static let byKey = Dictionary(uniqueKeysWithValues: settings.map { ($0.key, $0) })

    /// The setting with this key in the configuration file.
    package static func setting(_ key: String) -> Setting? { byKey[key] }

    /// For programs: a list of objects, one for each setting.
    package static var json: JSONValue {
        .array(ServerConfiguration.groups.flatMap { group in group.settings.map { $0.json(group: group.title) } })
    }

    /// The table of `deploy/README.md`.
    package static var markdown: String {
        let heads = ["| option | variable | key | default | what |", "|---|---|---|---|---|"]
        return (heads + settings.map(\.markdown)).joined(separator: "\n")
    }

    /// The text of a configuration file with every key, in lines of at most this number of characters where the values
    /// allow it.
    package static func exampleFile(columns: Int) -> [String] {
        let file = JSONObject(settings.map { (name: $0.key, value: $0.example) })
        let pieces = readable(.object(file)).split(separator: ", ")
        return FilledLines.of(pieces.dropLast().map { $0 + "," } + pieces.suffix(1).map(String.init), columns: columns)
    }

    /// The text of a configuration file in which every key stands in a comment, with its explanation.
    package static func commentedFile(columns: Int) -> [String] {
        var lines = [
            "// The configuration of a WatchWise server. A line counts when the // before it is taken away; the examples are not",
            "// the defaults. An option of 'watchwise serve' and a variable WATCHWISE_… go before this file.", "{",
        ]
        for group in ServerConfiguration.groups {
            lines += ["", "    // \(group.title.uppercased())"]
            for setting in group.settings {
                let standard = setting.standard.map { " Default: \($0)." } ?? ""
                let words = (setting.explanation + standard).split(separator: " ").map(String.init)
                lines += [""] + FilledLines.of(words, columns: columns - 7).map { "    // " + $0 }
                lines.append("    // \(setting.exampleMember),")
            }
        }
        return lines + ["}"]
    }

    /// JSON with spaces between its parts.
    package static func readable(_ value: JSONValue) -> String {
        switch value {
        case .object(let object):
            let members = object.members.map { "\(JSONValue.string($0.name).text): \(readable($0.value))" }
            return "{" + members.joined(separator: ", ") + "}"
        case .array(let values): return "[" + values.map(readable).joined(separator: ", ") + "]"
        default: return value.text
        }
    }
}

extension Setting {
    /// The option as a page shows it, such as `--listen <host:port>`; nil where there is none.
    package var usage: String? {
        option.map { "--" + $0 + (valueName.map { " <\($0)>" } ?? "") }
    }

    /// The example as it stands in the configuration file.
    package var exampleMember: String { "\"\(key)\": \(SettingTable.readable(example))" }

    /// ``help`` and ``note``.
    package var explanation: String { note.isEmpty ? help : help + " " + note }

    fileprivate func json(group: String) -> JSONValue {
        [
            "name": .string(key), "group": .string(group), "option": option == nil ? .null : .string(flag),
            "value": valueName.map { .string($0) } ?? .null, "repeated": .bool(isList && option != nil),
            "variable": .string(variable), "key": .string(key), "default": standard.map { .string($0) } ?? .null,
            "example": example, "help": .string(explanation),
        ]
    }

    fileprivate var markdown: String {
        let option = usage.map { "`\($0)`" + (isList ? " (repeated)" : "") } ?? ""
        let cells = [option, "`\(variable)`", "`\(key)`", standard ?? "", explanation.replacing("|", with: "\\|")]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
