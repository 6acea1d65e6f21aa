import JSON

/// How the text of an option or of a variable is read.
///
/// - Confinement: any
enum SettingText: Sendable {
    /// As it is.
    case plain
    case number
    /// `true` and `false`, `yes` and `no` and the like.
    case truth
    /// `issuer=https://id.example.org audience=film admin=true`
    case words
    /// `person=people,sky=skies`
    case pairs
    case json

    /// The value that would stand in the configuration file; a text that cannot be read stays a text.
    func value(of text: String) -> JSONValue {
        let value: JSONValue? =
            switch self {
            case .plain: nil
            case .number: Int64(text).map { .integer($0) }
            case .truth: Self.truth(text).map { .bool($0) }
            case .words: Self.words(text).map { .object($0) }
            case .pairs: Self.pairs(text).map { .object($0) }
            case .json: try? JSONValue(parsing: Array(text.utf8))
            }
        return value ?? .string(text)
    }

    private static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1", "yes", "on": true
        case "false", "0", "no", "off": false
        default: nil
        }
    }

    private static func words(_ text: String) -> JSONObject? {
        var object = JSONObject()
        for word in text.split(separator: " ") {
            let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, object[sides[0]] == nil else { return nil }
            let isGranted = sides[0] == "admin" ? truth(sides[1]) : nil
            object[sides[0]] = isGranted.map { .bool($0) } ?? .string(sides[1])
        }
        return object
    }

    private static func pairs(_ text: String) -> JSONObject? {
        var object = JSONObject()
        for pair in text.split(separator: ",") {
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2 else { return nil }
            object[String(sides[0])] = .string(String(sides[1]))
        }
        return object
    }
}
