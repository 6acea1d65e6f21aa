import JSON

/// The content of the braces in an audience: a name of the path, or a field of `before` or `after`.
struct FieldReference: Sendable, Hashable {
    enum Source: String, Sendable, Hashable {
        case before, after
    }

    enum Target: Sendable, Hashable {
        case name(String)
        case field(Source, [String])
    }

    /// The text as written, without braces.
    let text: String
    let target: Target

    /// - Throws: ``PatternProblem`` without a place.
    init(_ text: String) throws(PatternProblem) {
        self.text = text
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !$0.isEmpty }) else { throw PatternProblem("{\(text)} has an empty part") }
        guard let source = Source(rawValue: parts[0]) else {
            guard parts.count == 1 else {
                throw PatternProblem("{\(text)}: fields are those of before and after, such as {after.\(parts[1])}")
            }
            target = .name(text)
            return
        }
        guard parts.count > 1 else {
            throw PatternProblem("{\(text)} is a whole document; name one of its fields, such as {\(text).author}")
        }
        target = .field(source, Array(parts.dropFirst()))
    }

    /// Whether its value is an id of the document's path.
    var isOfPath: Bool { if case .name = target { true } else { false } }

    /// The text that replaces the reference for a change.
    ///
    /// - Throws: ``PatternProblem`` that says which field is missing.
    func value(names: [String: String], before: JSONValue?, after: JSONValue?) throws(PatternProblem) -> String {
        switch target {
        case .name(let name):
            guard let value = names[name] else { throw PatternProblem("the path has no {\(name)}") }
            return value
        case .field(let source, let fields):
            guard var value = source == .before ? before : after else {
                throw .missing("{\(text)}: there is no document \(source.rawValue) this change")
            }
            for field in fields {
                guard let member = value[field] ?? Self.element(field, of: value) else {
                    throw .missing("{\(text)}: there is no such field")
                }
                value = member
            }
            if value.isNull { throw .missing("{\(text)} is null") }
            if let string = value.stringValue {
                guard !string.isEmpty else { throw .missing("{\(text)} is an empty text") }
                return string
            }
            if case .integer(let number) = value { return String(number) }
            throw PatternProblem("{\(text)} is neither a text nor a whole number")
        }
    }

    /// The element of a list, by its number from 0.
    private static func element(_ number: String, of value: JSONValue) -> JSONValue? {
        guard let list = value.arrayValue, let index = Int(number), list.indices.contains(index) else { return nil }
        return list[index]
    }
}
