import Digits

/// A JSON value as a tree, for values that are not on the hot path: documents and configuration.
///
/// Digits alone are `.integer`; a fraction or an exponent makes `.number`. Commands on the hot path are read by
/// `JSONReader` instead.
///
/// - Confinement: any
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// Reads one JSON text strictly; see `JSONReader` for what is refused.
    ///
    /// - Parameters:
    ///   - bytes: the whole text.
    ///   - depthMax: The deepest nesting of objects and arrays.
    /// - Throws: `JSONError` with the place and the member at fault.
    package init(parsing bytes: [UInt8], depthMax: Int = 16) throws(JSONError) {
        var reader = JSONReader(bytes, depthMax: depthMax)
        self = try reader.value()
        try reader.end()
    }

    /// Reads a text that people have written, in a file or a request: a byte order mark in front is skipped.
    ///
    /// - Throws: `JSONError`, whose places count the mark.
    package init(parsingText bytes: [UInt8], depthMax: Int = 16) throws(JSONError) {
        var reader = JSONReader(bytes, from: ByteOrderMark.length(in: bytes), depthMax: depthMax)
        self = try reader.value()
        try reader.end()
    }

    /// An estimate of the bytes that the tree of a text takes, without making the tree: a value in its list, with the
    /// list's head and its spare room, takes about 40 bytes for each bracket and comma.
    package static func treeBytes(ofText text: [UInt8]) -> Int {
        var marks = 0
        for byte in text where byte == 0x2c || byte == 0x5b || byte == 0x7b { marks += 1 }
        return text.count + marks * 40
    }

    /// The compact encoding; members keep their order.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    /// The compact encoding as text.
    package var text: String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// A member of an object; nil when there is none or this is not an object.
    ///
    /// Setting a member of another value turns it into an object; setting nil removes the member.
    package subscript(name: String) -> JSONValue? {
        get { objectValue?[name] }
        set {
            var object = objectValue ?? JSONObject()
            object[name] = newValue
            self = .object(object)
        }
    }

    /// The text of a string; nil for other values.
    package var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The number when it is whole: `7`, and also `7.0`, which is the same number to JSON.
    package var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Self.whole(value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// Any number as a double; nil for other values.
    package var numberValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The truth value; nil for other values.
    package var boolValue: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The elements of an array; nil for other values.
    package var arrayValue: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The object; nil for other values.
    package var objectValue: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// True only for `null`.
    package var isNull: Bool {
        self == .null
    }

    /// A double as an integer, when it is whole and within ±2^53, where doubles represent every integer.
    static func whole(_ value: Double) -> Int64? {
        guard value.magnitude <= 9_007_199_254_740_992 else { return nil }
        // Int64(exactly:) would need libm, which nothing else here needs.
        let whole = Int64(value)
        return Double(whole) == value ? whole : nil
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.lazy.map { (name: $0.0, value: $0.1) }))
    }
}
