/// The kind of a JSON value, known from its first byte.
///
/// - Confinement: any
package enum JSONKind: Hashable, Sendable {
    case null, bool, number, integer, string, array, object

    /// The kind with its article, for messages: "must be a string".
    package var phrase: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .integer: "a whole number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// The place of a checked value in the bytes, before it is decoded.
///
/// With a table of tokens, a decoder reads an object once and makes only the strings that it keeps.
///
/// - Confinement: any
package struct JSONToken: Hashable, Sendable {
    package let kind: JSONKind
    /// The bytes of the value; for a string with its quotation marks.
    package let range: Range<Int>
    /// True for a string without escapes: its bytes are the text.
    package let isPlain: Bool
}
