/// Strict pull parser over the bytes of one JSON text (RFC 8259), without building a tree.
///
/// It is stricter than the RFC where the RFC leaves a choice, because two readers that choose differently are a
/// security hole: duplicate names, invalid UTF-8, single surrogates in escapes, numbers outside `Int64` and `Double`,
/// nesting deeper than `depthMax`, and anything after the value are refused. The cost of hostile input is proportional
/// to its length: recursion is bounded by `depthMax`, and in a large object duplicates are found by hashing.
///
/// ```swift
/// var reader = JSONReader(bytes)
/// try reader.beginObject()
/// while let name = try reader.nextName() {
///     if name == "text" { text = try reader.string() } else { try reader.skip() }
/// }
/// try reader.end()
/// ```
///
/// - Confinement: any
package struct JSONReader: Sendable {
    /// An open object or array.
    struct Frame {
        let isObject: Bool
        /// Members or elements begun so far.
        var count = 0
        /// Where the names of this object begin in `names`.
        let namesStart: Int
        /// The name of the member being read; nil between members.
        var name: JSONToken?
        /// The names read so far, when there are too many to compare one by one.
        var seen: Set<JSONName>?
    }

    /// The largest `depthMax`: a thread stack of 512 KiB is surely large enough for it.
    package static let depthCeiling = 256

    let text: JSONText
    /// The next byte to be read.
    package internal(set) var offset: Int
    let depthMax: Int
    let fieldPrefix: String
    /// How many objects and arrays are open.
    var depth = 0
    /// The innermost open object or array; without meaning at depth 0. It stands by itself, since a flat object then needs
    /// no list, and its count and name change with each member.
    var top = Frame(isObject: false, namesStart: 0)
    /// The open ones around it.
    var outer: [Frame] = []
    var names: [JSONToken] = []

    /// A reader over a whole text.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - depthMax: The deepest nesting of objects and arrays; at most `depthCeiling` counts.
    package init(_ bytes: [UInt8], depthMax: Int = 16) {
        text = JSONText(bytes: bytes, limit: bytes.count)
        self.depthMax = min(depthMax, Self.depthCeiling)
        offset = 0
        fieldPrefix = ""
    }

    /// A reader over one value inside a text; its errors have `field` before their own path.
    package init(_ bytes: [UInt8], at token: JSONToken, field: String, depthMax: Int = 16) {
        text = JSONText(bytes: bytes, limit: min(token.range.upperBound, bytes.count))
        self.depthMax = min(depthMax, Self.depthCeiling)
        offset = token.range.lowerBound
        fieldPrefix = field
    }

    /// A reader that begins at the byte `offset`, to read one value of a text that was refused as a whole.
    package init(_ bytes: [UInt8], from offset: Int, depthMax: Int = 16) {
        self.init(bytes, depthMax: depthMax)
        self.offset = offset
    }

    /// The bytes of the whole text.
    package var bytes: [UInt8] { text.bytes }

    /// The kind of the value that comes next; reads only white space. Numbers are `.number`, whole or not.
    package mutating func peek() throws(JSONError) -> JSONKind {
        switch try nextByte() {
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case let byte: throw failure(.unexpectedByte(byte))
        }
    }

    /// Steps into an object; its members follow by `nextName`.
    package mutating func beginObject() throws(JSONError) {
        try begin(.object)
    }

    /// Steps into an array; its elements follow by `nextElement`.
    package mutating func beginArray() throws(JSONError) {
        try begin(.array)
    }

    /// The name of the next member, whose value must be read next; nil when the object has ended.
    package mutating func nextName() throws(JSONError) -> String? {
        guard let token = try nextNameToken() else { return nil }
        return string(at: token)
    }

    /// As `nextName`, without making a string.
    package mutating func nextNameToken() throws(JSONError) -> JSONToken? {
        guard try advance(isObject: true, close: UInt8(ascii: "}")) else { return nil }
        let byte = try nextByte()
        guard byte == UInt8(ascii: "\"") else { throw failure(.unexpectedByte(byte)) }
        let token = try scanString()
        top.name = token
        try refuseDuplicate(token)
        let colon = try nextByte()
        guard colon == UInt8(ascii: ":") else { throw failure(.unexpectedByte(colon)) }
        offset += 1
        return token
    }

    /// True when another element follows, which must be read next; false when the array has ended.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try advance(isObject: false, close: UInt8(ascii: "]"))
    }

    /// Checks that nothing but white space follows.
    package mutating func end() throws(JSONError) {
        precondition(depth == 0, "JSONReader.end() inside an object or array")
        offset = text.skipWhitespace(from: offset)
        guard offset == text.limit else { throw failure(.trailingBytes) }
    }

    /// Checks the next value completely and steps over it.
    ///
    /// - Returns: its place, for decoding it later.
    @discardableResult
    package mutating func skip() throws(JSONError) -> JSONToken {
        let kind = try peek()
        let start = offset
        switch kind {
        case .string: return try scanString()
        case .number, .integer: try scanNumber()
        case .null, .bool: try scanLiteral()
        case .object:
            try begin(.object)
            while try nextNameToken() != nil { try skip() }
        case .array:
            try begin(.array)
            while try nextElement() { try skip() }
        }
        return JSONToken(kind: kind, range: start..<offset, isPlain: false)
    }

    /// An error at the present place, for the member being read; used when a caller rejects a value.
    package func failure(_ reason: JSONError.Reason) -> JSONError {
        failure(reason, at: offset)
    }

    /// The dotted path of the member being read, empty at the top.
    package var field: String {
        var path = fieldPrefix
        for frame in depth > 0 ? outer + [top] : [] {
            let step: String
            if frame.isObject {
                guard let name = frame.name else { continue }
                step = string(at: name)
            } else {
                guard frame.count > 0 else { continue }
                step = String(frame.count - 1)
            }
            path += path.isEmpty ? step : "." + step
        }
        return path
    }
}
