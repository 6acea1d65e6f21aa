import Foundation
package import JSON
import Model
import Synchronization

/// A JSON Schema (2020-12), with the words that the documents OpenAPI and AsyncAPI of the server use.
/// - Confinement: any
package struct JSONSchema: Sendable {
    package let schema: JSONValue
    /// The document in which references are looked up.
    private let document: JSONValue

    package init(_ schema: JSONValue, in document: JSONValue = .null) {
        self.document = document
        var schema = schema
        while let reference = schema["$ref"]?.stringValue {
            schema = reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
        }
        self.schema = schema
    }

    private subscript(name: String) -> JSONValue? { schema[name] }
    private func inner(_ schema: JSONValue) -> JSONSchema { JSONSchema(schema, in: document) }

    package func admits(_ value: JSONValue) -> Bool { problem(with: value) == nil }

    /// The mistake in a value, and its place; nil when it fits.
    package func problem(with value: JSONValue, at place: String = "") -> String? {
        if let forms {
            let problems = forms.map { $0.problem(with: value, at: place) }
            return problems.contains { $0 == nil }
                ? nil : "\(place) fits none of: " + problems.compactMap(\.self).joined(separator: "; ")
        }
        func not(_ what: String) -> String { "\(place) is \(value.text.prefix(100)), not \(what)" }
        if let only = self["const"], only != value { return not(only.text) }
        if let words = self["enum"]?.arrayValue, !words.contains(value) { return not("one of \(words)") }
        switch type {
        case "string":
            guard let text = value.stringValue else { return not("a text") }
            let count = Int64(text.unicodeScalars.count)
            guard count >= least("minLength"), count <= most("maxLength") else { return not("of its length") }
            if self["format"] == "date-time", Timestamp(text) == nil { return not("a time") }
            if let pattern = self["pattern"]?.stringValue, !Patterns.shared.matches(text, pattern) {
                return not(pattern)
            }
        case "integer":
            guard let number = value.integerValue else { return not("a whole number") }
            guard number >= self["minimum"]?.integerValue ?? .min, number <= self["maximum"]?.integerValue ?? .max
            else {
                return not("in its range")
            }
        case "number": if value.numberValue == nil, value.integerValue == nil { return not("a number") }
        case "boolean": if value.boolValue == nil { return not("a truth value") }
        case "null": if !value.isNull { return not("null") }
        case "array":
            guard let elements = value.arrayValue else { return not("a list") }
            let count = Int64(elements.count)
            guard count >= least("minItems"), count <= most("maxItems") else { return not("of its length") }
            for (index, element) in elements.enumerated() {
                if let problem = items.problem(with: element, at: "\(place).\(index)") { return problem }
            }
        case "object":
            guard let object = value.objectValue else { return not("an object") }
            return problem(with: object, at: place)
        default: break
        }
        return nil
    }

    private func problem(with object: JSONObject, at place: String) -> String? {
        for name in required where object[name] == nil { return "\(place) lacks \(name)" }
        guard object.members.count >= least("minProperties") else { return "\(place) has too few members" }
        let names = self["propertyNames"].map(inner)
        for (name, value) in object.members {
            if let problem = names?.problem(with: .string(name), at: "\(place): a name") { return problem }
            if let member = properties[name] {
                if let problem = inner(member).problem(with: value, at: "\(place).\(name)") { return problem }
            } else if rest == false {
                return "\(place) has \(name), which is not described"
            } else if let rest, let problem = inner(rest).problem(with: value, at: "\(place).\(name)") {
                return problem
            }
        }
        return nil
    }

    // MARK: Its words

    private var type: String? { self["type"]?.stringValue }
    /// The forms of which a value has one; nil where there is one alone.
    package var forms: [JSONSchema]? { self["anyOf"]?.arrayValue.map { $0.map(inner) } }
    private var items: JSONSchema { inner(self["items"] ?? [:]) }
    private var properties: JSONObject { self["properties"]?.objectValue ?? [:] }
    private var rest: JSONValue? { self["additionalProperties"] }
    package var required: [String] { (self["required"]?.arrayValue ?? []).compactMap(\.stringValue) }
    private func least(_ name: String) -> Int64 { self[name]?.integerValue ?? 0 }
    private func most(_ name: String) -> Int64 { self[name]?.integerValue ?? .max }

    /// The members that an object may have, with their schemas.
    package var members: [(name: String, schema: JSONSchema)] {
        properties.members.map { ($0.name, inner($0.value)) }
    }

    // MARK: Values

    /// Values of the forms that the contract has, among which every pattern finds one.
    private static let texts =
        [
            "👍", "UTC", "alice", "bob", "alice:bob", "room:r1", "movie:603", "movie/603", "stations/1", "stations",
            "k1", "it",
            "22:00",
            "daily 18:00", "topic:movie:603", "n1", "1", "100/1h", "2056-11-23T11:06:59Z", "*/*", "release", "r-1",
            "\"1\"", "active", "a@b", "1 news films/1", "e.1",
        ]
        + [String(repeating: "A", count: 22), String(repeating: "ab", count: 32), String(repeating: "x", count: 20)]

    /// A value that fits; an object has all members that are described.
    /// - Parameter isWhole: false for the members that are required alone.
    package func sample(isWhole: Bool = true) -> JSONValue {
        if let forms { return (forms.first { $0.type != "null" } ?? forms[0]).sample(isWhole: isWhole) }
        if let only = self["const"] { return only }
        if let word = self["enum"]?.arrayValue?.first { return word }
        switch type {
        case "string": return Self.texts.lazy.map { .string($0) }.first(where: admits) ?? "x"
        case "integer":
            return .integer(max(self["minimum"]?.integerValue ?? 1, min(1, self["maximum"]?.integerValue ?? 1)))
        case "number": return 1.5
        case "boolean": return true
        case "array": return .array(Array(repeating: items.sample(), count: Int(max(1, least("minItems")))))
        case "object":
            var object: JSONObject = [:]
            for (name, schema) in members where schema.type != "null" && (isWhole || required.contains(name)) {
                object[name] = schema.sample(isWhole: isWhole)
            }
            if let rest, rest.objectValue != nil, isWhole {
                let name = self["propertyNames"].map { inner($0).sample().stringValue ?? "" } ?? "name"
                object[name] = inner(rest).sample()
            }
            return .object(object)
        default: return .null
        }
    }

    /// Values that do not fit, each for another reason, with the dotted path of what is wrong.
    package func misfits() -> [(path: String, value: JSONValue)] {
        var found: [(path: String, value: JSONValue)] = ["a", 7, 1.5, true, [], [:], .null].map { ("", $0) }
        for form in forms ?? [self] { found += form.own() + form.inner() }
        return found.filter { !admits($0.value) }
    }

    /// Values of the right type, and yet wrong.
    private func own() -> [(path: String, value: JSONValue)] {
        var values: [JSONValue] = []
        switch type {
        case "string":
            let text = sample().stringValue ?? ""
            let last = text.last.map(String.init) ?? "x"
            let most = most("maxLength")
            if most < 100_000 { values.append(.string(String(repeating: last, count: Int(most) + 1))) }
            values += ["", .string(text + " "), .string(text + "\u{0}"), .string("é" + text), .string("\n" + text)]
        case "integer":
            values +=
                [self["minimum"], self["maximum"]].compactMap { $0?.integerValue }
                .flatMap { [.integer($0 &- 1), .integer($0 &+ 1)] } + [1e300]
        case "array":
            let most = most("maxItems")
            if most < 100_000 { values.append(.array(Array(repeating: items.sample(), count: Int(most) + 1))) }
        default: break
        }
        return values.map { ("", $0) }
    }

    /// An otherwise right object or list, with one wrong part.
    private func inner() -> [(path: String, value: JSONValue)] {
        var found: [(path: String, value: JSONValue)] = []
        let whole = sample()
        if type == "array" {
            for (path, value) in items.misfits() { found.append((path.isEmpty ? "0" : "0." + path, [value])) }
        }
        guard type == "object" else { return found }
        for (name, schema) in members where schema.type != "null" {
            for (path, value) in schema.misfits() {
                var object = whole
                object[name] = value
                found.append((path.isEmpty ? name : "\(name).\(path)", object))
            }
        }
        for name in required {
            var object = whole
            object[name] = nil
            found.append((name, object))
        }
        return found
    }
}

/// The expressions of patterns, each made once.
/// - Confinement: any
private final class Patterns: Sendable {
    static let shared = Patterns()
    private let known = Mutex<[String: NSRegularExpression?]>([:])

    func matches(_ text: String, _ pattern: String) -> Bool {
        let expression = known.withLock { known in
            if let there = known[pattern] { return there }
            // `$` is the end of the text, as in ECMA-262, and not also what stands before a last line feed.
            let made = try? NSRegularExpression(
                pattern: pattern.hasSuffix("$") ? pattern.dropLast() + "\\z" : pattern)
            known[pattern] = .some(made)
            return made
        }
        return expression?.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
