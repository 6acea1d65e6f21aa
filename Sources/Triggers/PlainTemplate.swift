import JSON

/// A template of text and variables alone, as most are: rendered without the library, which asks each value for half a
/// dozen protocols and takes thirty times as long. The output is the same, and a test compares them.
struct PlainTemplate: Sendable {
    private enum Part: Sendable {
        case text(String)
        case variable([String])
    }

    private let parts: [Part]

    /// Nil when `text`, which the library has accepted, has a tag other than a variable.
    init?(_ text: String) {
        var parts: [Part] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "{{") {
            let inside = rest[start.upperBound...]
            guard let end = inside.firstRange(of: "}}") else { return nil }
            let name = inside[..<end.lowerBound].filter { !$0.isWhitespace }
            let isVariable = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
            guard isVariable, let first = name.first, first != "." else { return nil }
            parts.append(.text(String(rest[..<start.lowerBound])))
            parts.append(.variable(name.split(separator: ".").map(String.init)))
            rest = inside[end.upperBound...]
        }
        parts.append(.text(String(rest)))
        self.parts = parts.filter { if case .text("") = $0 { false } else { true } }
    }

    func render(_ values: JSONObject, budget: RenderBudget) -> String {
        var output = ""
        for part in parts {
            switch part {
            case .text(let text): output += text
            case .variable(let names): output += Self.text(of: names, in: values, budget: budget)
            }
        }
        return output
    }

    private static func text(of names: [String], in values: JSONObject, budget: RenderBudget) -> String {
        var value = JSONValue.object(values)
        for name in names {
            guard let member = value[name] else { return "" }
            value = member
        }
        let text: String
        switch value {
        case .null, .array, .object: return ""
        case .bool(let bool): text = bool ? "true" : "false"
        case .integer(let number): text = String(number)
        case .number: text = value.text
        case .string(let string): text = string
        }
        return budget.take(bytes: text.utf8.count) ? text : ""
    }
}
