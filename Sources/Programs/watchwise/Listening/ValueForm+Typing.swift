import ClientProtocol
import JSON

/// How a value is typed and described.
extension ValueForm {
    /// The value that a typed text stands for; nil when it is of another form. Whether it is in its range is judged by the
    /// server, whose answer names the field.
    func value(of text: String) -> JSONValue? {
        switch self {
        case .text, .words: return .string(text)
        case .integer: return Int64(text).map { .integer($0) }
        case .fraction: return Double(text).map { .number($0) }
        case .flag, .yes, .no: return ["true": true, "false": false][text].map { .bool($0) }
        case .null: return text == "null" ? .null : nil
        case .list(let entry, _):
            if text.hasPrefix("[") { return json(text) }
            let entries = text.split(separator: ",").map { entry.value(of: String($0)) }
            return entries.contains { $0 == nil } ? nil : .array(entries.compactMap(\.self))
        case .object, .named, .shared, .anything: return json(text)
        case .either(let forms): return forms.lazy.compactMap { $0.value(of: text) }.first
        }
    }

    private func json(_ text: String) -> JSONValue? { try? JSONValue(parsing: Array(text.utf8)) }

    /// A description of the value for a person who types it.
    var words: String {
        switch self {
        case .text(_, _, "date-time"): "a time, such as 2027-01-31T18:00:00Z"
        case .text: "a text"
        case .words(let words): words.joined(separator: " or ")
        case .integer, .fraction: "a number"
        case .flag: "true or false"
        case .yes: "true"
        case .no: "false"
        case .null: "null"
        case .list: "a list, with commas between"
        case .object(let members, _) where !members.isEmpty:
            "JSON, or " + members.map { "." + $0.name }.joined(separator: " ")
        case .object, .named, .shared, .anything: "JSON"
        case .either(let forms):
            forms.filter { !$0.isNull }.map(\.words).reduce(into: [String]()) { all, one in
                if !all.contains(one) { all.append(one) }
            }.joined(separator: " or ")
        }
    }

    /// The members of an object; of the first object among several forms.
    var members: [Member] {
        switch self {
        case .object(let members, _): members
        case .either(let forms): forms.lazy.map(\.members).first { !$0.isEmpty } ?? []
        default: []
        }
    }
}
