package import JSON
import Model

/// The form of a value in a body, a query, a header field, a command, an event or an answer, from which the documents
/// OpenAPI and AsyncAPI are made.
///
/// - Confinement: any
package indirect enum ValueForm: Sendable {
    /// A text with a number of characters in a range.
    case text(ClosedRange<Int>, pattern: String? = nil, format: String? = nil)
    case words([String])
    case integer(ClosedRange<Int64>)
    case fraction
    case flag
    case list(ValueForm, ClosedRange<Int> = 0...Int.max)
    /// An object of these members; an open one may have others.
    case object([Member], isOpen: Bool = false)
    /// An object whose names are free, or of a form of their own.
    case named(ValueForm, least: Int = 0, names: ValueForm? = nil)
    case either([ValueForm])
    /// A schema of the document by its name.
    case shared(String)
    case anything
    case null
    /// `true` alone.
    case yes
    /// `false` alone.
    case no

    /// A member of an object, a parameter of a query, or a field of the head.
    ///
    /// - Confinement: any
    package struct Member: Sendable {
        package let name: String
        package let form: ValueForm
        package let isRequired: Bool
        package let meaning: String

        /// A member that must be there.
        package static func need(_ name: String, _ form: ValueForm, _ meaning: String = "") -> Member {
            Member(name: name, form: form, isRequired: true, meaning: meaning)
        }

        /// A member that may be absent.
        package static func may(_ name: String, _ form: ValueForm, _ meaning: String = "") -> Member {
            Member(name: name, form: form, isRequired: false, meaning: meaning)
        }

        /// A member for which `null` says the same as its absence.
        package static func mayBeNull(_ name: String, _ form: ValueForm, _ meaning: String = "") -> Member {
            may(name, .either([form, .null]), meaning)
        }
    }

    /// The JSON Schema (2020-12) of the form.
    package var schema: JSONObject {
        switch self {
        case .text(let length, let pattern, let format):
            var schema: JSONObject = ["type": "string"]
            if length.lowerBound > 0 { schema["minLength"] = .integer(Int64(length.lowerBound)) }
            if length.upperBound < .max { schema["maxLength"] = .integer(Int64(length.upperBound)) }
            schema["pattern"] = pattern.map { .string($0) }
            schema["format"] = format.map { .string($0) }
            return schema
        case .words(let words): return ["type": "string", "enum": .array(words.map { .string($0) })]
        case .integer(let range):
            var schema: JSONObject = ["type": "integer"]
            if range.lowerBound > .min { schema["minimum"] = .integer(range.lowerBound) }
            if range.upperBound < .max { schema["maximum"] = .integer(range.upperBound) }
            return schema
        case .fraction: return ["type": "number"]
        case .flag: return ["type": "boolean"]
        case .list(let form, let count):
            var schema: JSONObject = ["type": "array", "items": .object(form.schema)]
            if count.lowerBound > 0 { schema["minItems"] = .integer(Int64(count.lowerBound)) }
            if count.upperBound < .max { schema["maxItems"] = .integer(Int64(count.upperBound)) }
            return schema
        case .object(let members, let isOpen): return Self.objectSchema(members, isOpen: isOpen)
        case .named(let form, let least, let names):
            var schema: JSONObject = ["type": "object", "additionalProperties": .object(form.schema)]
            if least > 0 { schema["minProperties"] = .integer(Int64(least)) }
            schema["propertyNames"] = names.map { .object($0.schema) }
            return schema
        case .either(let forms): return ["anyOf": .array(forms.map { .object($0.schema) })]
        case .shared(let name): return ["$ref": .string("#/components/schemas/\(name)")]
        case .anything: return [:]
        case .null: return ["type": "null"]
        case .yes: return ["const": true]
        case .no: return ["const": false]
        }
    }

    /// Whether it is the form of null alone: as a field of a command it must be absent, because another field excludes it.
    package var isNull: Bool { if case .null = self { true } else { false } }

    private static func objectSchema(_ members: [Member], isOpen: Bool) -> JSONObject {
        var properties = JSONObject()
        for member in members { properties[member.name] = .object(member.schema) }
        var schema: JSONObject = ["type": "object"]
        if !members.isEmpty { schema["properties"] = .object(properties) }
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        if !isOpen { schema["additionalProperties"] = false }
        return schema
    }
}

extension ValueForm.Member {
    fileprivate var schema: JSONObject {
        var schema = form.schema
        if !meaning.isEmpty { schema["description"] = .string(meaning) }
        return schema
    }

    /// The parameter of a request.
    ///
    /// - Parameter place: `query`, `header` or `path`.
    package func parameter(in place: String) -> JSONObject {
        var parameter: JSONObject = ["name": .string(name), "in": .string(place)]
        if !meaning.isEmpty { parameter["description"] = .string(meaning) }
        if isRequired { parameter["required"] = true }
        parameter["schema"] = .object(form.schema)
        return parameter
    }
}

// MARK: The forms of the contract

extension ValueForm {
    package static let user = text(1...128, pattern: "^[A-Za-z0-9_.@-]+$")
    /// A user whom nobody need have met: not one of the names that earlier versions admitted.
    package static let newUser = text(1...128, pattern: #"^(?!\.{1,2}$)[A-Za-z0-9_.@-]+$"#)
    /// A user, or the pseudonym of somebody who was erased.
    package static let person = text(1...128, pattern: "^\(name)$")
    private static let name = "(~[0-9a-f]{4,64}|[A-Za-z0-9_.@-]{1,128})"
    /// A topic, or that of somebody who was erased.
    package static let storedTopic = text(3...233, pattern: "^(\(anyStoredTopic))$")
    static let anyStoredTopic = "user:~[0-9a-f]{4,64}|\(anyTopic)"
    private static let anyTopic = "[a-z]{1,32}:[A-Za-z0-9_.@/-]{1,200}"
    package static let topic = text(3...233, pattern: "^\(anyTopic)$")
    /// A topic to follow: no part of its id is empty, `.` or `..`.
    package static let newTopic = text(3...233, pattern: #"^(?!.*[:/](/|\.{0,2}(/|$)))"# + "\(anyTopic)$")
    package static let chat = text(3...257, pattern: "^\(name):\(name)$")
    /// A pair or a room.
    package static let anyChat = chat
    package static let documentPath = text(
        3...DocumentLimits.pathBytesMax, pattern: "^\(level)(/\(level)){0,\(DocumentLimits.pathLevelsMax - 1)}$")
    /// A document or a collection.
    package static let watchedPath = text(1...DocumentLimits.pathBytesMax, pattern: "^\(watched)$")
    /// Several of them, with commas between.
    package static let watchedPaths = text(1...Int.max, pattern: "^\(watched)(,\(watched))*$")
    private static let watched = "(\(level)/){0,\(DocumentLimits.pathLevelsMax - 1)}(\(level)|\(part))"
    private static let part = "[A-Za-z0-9_.@:~-]+"
    /// A collection and an id in it, which has two parts for a product.
    private static let level =
        "\(part)/((\(DocumentLimits.compoundIDPrefixes.sorted().joined(separator: "|")))/)?\(part)"
    package static let time = text(20...35, format: "date-time")
    package static let position = integer(0...(Position.bound - 1))
    /// The name of a trigger, or of a feed.
    package static let triggerName = text(1...64, pattern: "^[a-z0-9-]+$")
    /// The member `next` of an earlier page.
    package static let cursor = text(1...18, pattern: "^(0|[1-9][0-9]{0,17})$")
    /// The id of an event of a stream.
    package static let eventID = text(3...81, pattern: #"^[!-~]{1,64}\.(0|[1-9][0-9]{0,15})$"#)
    package static let key = text(1...64, pattern: "^[!-~]+$")
    package static let sentence = text(0...Int.max)
    /// A text of a query: an id, a name, a path.
    package static let word = text(0...Int.max, pattern: #"^[^\u0000]*$"#)
    /// An id that the server made.
    package static let id = text(1...64, pattern: "^[A-Za-z0-9_.-]+$")
    /// The number of something, as a text.
    package static let number = text(1...18, pattern: "^[1-9][0-9]{0,17}$")
    package static let data = object([], isOpen: true)
    package static let count = integer(0...Int64.max)
    /// An object whose members the documentation lists.
    package static let open = object([], isOpen: true)
}

extension ValueForm {
    /// A text that is shown in one line.
    package static func line(_ length: ClosedRange<Int>) -> ValueForm {
        text(length, pattern: #"^[^\u0000-\u001f\u007f-\u009f]*$"#)
    }

    /// Visible ASCII characters, up to a number of them.
    package static func visible(_ most: Int) -> ValueForm { text(1...most, pattern: "^[!-~]+$") }
}

extension ValueForm.Member {
    package static let limit = may(
        "limit", .integer(1...Int64(Limits.pageMax)), "How many a page has at most; 50 when absent.")
    package static let before = may("before", .cursor, "The member next of an earlier page.")
    package static let next = may(
        "next", .visible(DocumentLimits.pathBytesMax), "Where the next page begins; absent on the last.")
}
