import JSON

/// A template of text and variables alone, also as numbers and dates, as most are: rendered without the library, which asks each value for half a
/// dozen protocols and takes thirty times as long. The output is the same, and a test compares them.
struct PlainTemplate: Sendable {
    private enum Part: Sendable {
        case text(String)
        case variable([String], TemplateFunction?)
    }

    private let parts: [Part]

    /// Nil when `text`, which the scanner has accepted, has a tag other than a variable.
    init?(_ text: String) {
        var parts: [Part] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "{{") {
            let inside = rest[start.upperBound...]
            guard let end = inside.firstRange(of: "}}") else { return nil }
            var name = inside[..<end.lowerBound].filter { !$0.isWhitespace }
            var function: TemplateFunction?
            if let bracket = name.firstIndex(of: "("), name.last == ")" {
                function = TemplateFunction(String(name[..<bracket]))
                guard let function, function != .plural else { return nil }
                name = String(name[name.index(after: bracket)...].dropLast())
            }
            let isVariable = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
            guard isVariable, let first = name.first, first != "." else { return nil }
            parts.append(.text(String(rest[..<start.lowerBound])))
            parts.append(.variable(name.split(separator: ".").map(String.init), function))
            rest = inside[end.upperBound...]
        }
        parts.append(.text(String(rest)))
        self.parts = parts.filter { if case .text("") = $0 { false } else { true } }
    }

    func render(_ values: JSONObject, _ round: TemplateRound) -> String {
        var output = ""
        for part in parts {
            switch part {
            case .text(let text): output += text
            case .variable(let names, let function):
                guard var text = Self.text(of: names, in: values, isFormed: function != nil, round.budget) else {
                    continue
                }
                if let written = function?.written(text, in: round.forms) { text = written }
                output += round.budget.take(bytes: text.utf8.count) ? text : ""
            }
        }
        return output
    }

    /// Nil for what has no text.
    ///
    /// - Parameter isFormed: Whether a function is applied, as the library does to numbers and texts alone.
    private static func text(
        of names: [String],
        in values: JSONObject,
        isFormed: Bool,
        _ budget: RenderBudget
    ) -> String? {
        var value = JSONValue.object(values)
        for name in names {
            guard case .object(let object) = value, budget.walk(object.count), let member = object[name] else {
                return nil
            }
            value = member
        }
        switch value {
        case .null, .array, .object: return nil
        case .bool(let bool): return isFormed ? nil : bool ? "true" : "false"
        case .integer(let number): return String(number)
        case .number: return value.text
        case .string(let string): return string
        }
    }
}
