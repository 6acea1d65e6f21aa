import JSON

/// The client's own number for a command: any JSON number or string, sent back exactly as it came.
///
/// Two are equal when their JSON has the same bytes, because the server never changes it.
///
/// - Confinement: any
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// The JSON of the id: `7`, `1.50`, `"a"`.
    package let json: String
    /// A sentence in the reply beside its outcome, such as of a field that the command does not have; nil for most.
    package var warning: String?

    package init(_ number: Int64) {
        json = String(number)
    }

    package init(_ string: String) {
        json = JSONValue.string(string).text
    }

    /// The id at a token of `bytes`; nil when it is neither a number nor a string, or an empty string.
    init?(_ bytes: [UInt8], at token: JSONToken) {
        switch token.kind {
        case .number, .integer: break
        case .string: guard token.range.count > 2 else { return nil }
        case .null, .bool, .array, .object: return nil
        }
        json = String(decoding: bytes[token.range], as: UTF8.self)
    }

    package var description: String { json }

    package static func == (left: RequestID, right: RequestID) -> Bool { left.json == right.json }

    package func hash(into hasher: inout Hasher) { hasher.combine(json) }
}
