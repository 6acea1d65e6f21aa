import Digits
import JSON

/// The client's own number for a command: any JSON number or string, sent back exactly as it came.
///
/// Two are equal when their JSON has the same bytes, because the server never changes it.
///
/// - Confinement: any
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// The JSON of the id; with a warning U+0000, the id, U+0000 and the warning, which few have. It is one text because an id is copied
    /// with each delivery.
    private var text: String

    package init(_ number: Int64) {
        text = String(number)
    }

    package init(_ string: String) {
        text = JSONValue.string(string).text
    }

    /// The JSON of the id: `7`, `1.50`, `"a"`.
    package var json: String { isPlain ? text : String(parts[0]) }

    /// A sentence in the reply beside its outcome, such as of a field that the command does not have; nil for most.
    package var warning: String? {
        get { isPlain ? nil : String(parts[1]) }
        set {
            let json = json
            text = newValue.map { "\0\(json)\0\($0)" } ?? json
        }
    }

    private var isPlain: Bool { text.withByteSpan { $0.isEmpty || $0[0] != 0 } }
    private var parts: [Substring] { text.dropFirst().split(separator: "\0", maxSplits: 1) }

    /// The id at a token of `bytes`; nil when it is neither a number nor a string, or an empty string.
    init?(_ bytes: [UInt8], at token: JSONToken) {
        switch token.kind {
        case .number, .integer: break
        case .string: guard token.range.count > 2 else { return nil }
        case .null, .bool, .array, .object: return nil
        }
        text = String(decoding: bytes[token.range], as: UTF8.self)
    }

    package var description: String { json }

    package static func == (left: RequestID, right: RequestID) -> Bool { left.json == right.json }

    package func hash(into hasher: inout Hasher) { hasher.combine(json) }
}
