/// The kind of a JSON value, known from its first byte.
///
/// - Confinement: any
package enum JSONKind: Hashable, Sendable {
    case null, bool, number, integer, string, array, object

    /// The kind with its article, as it stands in "must be a string".
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

/// A value as it lies in the bytes: checked, but not yet made into anything.
///
/// A table of tokens lets a decoder look at an object once and make only the strings that it keeps.
///
/// - Confinement: any
package struct JSONToken: Hashable, Sendable {
    package let kind: JSONKind
    /// The bytes of the value; for a string with its quotation marks.
    package let range: Range<Int>
    /// True for a string without escapes: its bytes are the text.
    package let isPlain: Bool
}
