import JSON

/// The fields that a template names and a change does not have. They render as nothing, and are mostly misspellings.
///
/// Fields inside sections are not checked, since a name there may be a field of the section's value. A field with a
/// section for its absence (`{{^after.note}}…{{/after.note}}`) may be absent.
enum MissingFields {
    /// The names as written, each once, in the order of the template.
    static func of(_ template: String, in values: JSONObject) -> [String] {
        var missing: [String] = []
        var excused: Set<String> = []
        var depth = 0
        var rest = template[...]
        while let start = rest.firstRange(of: "{{") {
            let inside = rest[start.upperBound...]
            guard let end = inside.firstRange(of: "}}") else { break }
            let tag = inside[..<end.lowerBound].filter { !$0.isWhitespace }
            rest = inside[end.upperBound...]
            switch tag.first {
            case "^":
                if depth == 0 { excused.insert(name(in: tag)) }
                depth += 1
            case "#": depth += 1
            case "/": depth = max(0, depth - 1)
            case "!": continue
            default:
                let name = name(in: tag)
                guard depth == 0, !name.isEmpty, !missing.contains(name), isMissing(name, in: values) else { continue }
                missing.append(name)
            }
        }
        return missing.filter { !excused.contains($0) }
    }

    /// The field of a tag, without the marks and functions around it.
    private static func name(in tag: String) -> String {
        let inner = tag.split(separator: "(").last.map(String.init) ?? tag
        return inner.filter { $0.isLetter || $0.isNumber || "._-".contains($0) }
    }

    private static func isMissing(_ name: String, in values: JSONObject) -> Bool {
        var value = JSONValue.object(values)
        for part in name.split(separator: ".") {
            guard let member = value[String(part)] else { return true }
            value = member
        }
        return value.isNull
    }
}
