import JSON

/// A value of JSON, for documents, commands and events whose shape the application decides.
///
/// ```swift
/// let task: AnyJSON = ["title": "Buy tickets", "done": false]
/// ```
/// - Confinement: any
public enum AnyJSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([AnyJSON])
    case object([String: AnyJSON])

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map(AnyJSON.init))
        case .object(let object): self = AnyJSON(object)
        }
    }

    init(_ object: JSONObject) {
        self = .object(Dictionary(object.members.map { ($0.name, AnyJSON($0.value)) }, uniquingKeysWith: { $1 }))
    }

    var value: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .string(let value): .string(value)
        case .array(let values): .array(values.map(\.value))
        case .object(let members):
            .object(JSONObject(members.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value.value) }))
        }
    }

    /// A member of an object; nil when there is none.
    public subscript(name: String) -> AnyJSON? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The text of a string; nil for other values.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// A whole number; nil for other values.
    public var integer: Int64? { value.integerValue }
    /// Any number; nil for other values.
    public var number: Double? { value.numberValue }
    /// The truth value; nil for other values.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array; nil for other values.
    public var array: [AnyJSON]? { if case .array(let values) = self { values } else { nil } }
    /// The members of an object; nil for other values.
    public var object: [String: AnyJSON]? { if case .object(let members) = self { members } else { nil } }
    /// As JSON text.
    public var text: String { value.text }
}

extension AnyJSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: AnyJSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, AnyJSON)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
