import Digits

/// Writes compact JSON (RFC 8259) to the end of one array, with the commas.
///
/// It escapes only what JSON demands: quotation mark, backslash and control characters. U+2028 and U+2029 stay as they
/// are; JSON allows them, and the output is not pasted into scripts. The caller must write a name before each value of
/// an object and close what it opens; the writer does not check this.
///
/// - Confinement: any
package struct JSONWriter: Sendable {
    /// The output so far.
    package var bytes: [UInt8]
    private var needsComma = false

    /// A writer with room for `capacity` bytes before it has to grow.
    package init(capacity: Int = 128) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// The output in an array without spare room, for values that are kept: the array that grew may be twice as large.
    package var fittedBytes: [UInt8] {
        bytes.capacity - bytes.count <= 4096 ? bytes : Array(bytes[...])
    }

    /// Opens an object; its members follow, each a name and a value.
    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Closes the object opened last.
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Opens an array; its values follow.
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Closes the array opened last.
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The name of the next member.
    package mutating func name(_ name: String) {
        if !quoteShort(name, isName: true) {
            separate()
            quote(name)
            bytes.append(UInt8(ascii: ":"))
        }
        needsComma = false
    }

    /// A string, escaped where necessary.
    package mutating func string(_ value: String) {
        if quoteShort(value, isName: false) {
            needsComma = true
        } else {
            separate()
            quote(value)
        }
    }

    /// A string of ASCII bytes that need no escapes.
    ///
    /// - Parameters:
    ///   - count: the number of bytes.
    ///   - write: appends them.
    package mutating func string(plain count: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        separate()
        bytes.append(addingCapacity: count + 2) { output in
            output.append(UInt8(ascii: "\""))
            write(&output)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// A whole number, digit for digit.
    package mutating func integer(_ value: Int64) {
        separate()
        guard value < 0 || value > 9 else {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
            return
        }
        // From the last digit backwards; a whole number has at most nineteen digits and a sign.
        var rest = value.magnitude
        #if canImport(Darwin)
            // There is no array on the stack below iOS 26 and macOS 26.
            var digits = [UInt8](repeating: UInt8(ascii: "-"), count: 20)
        #else
            var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "-"))
        #endif
        var first = digits.count
        while rest > 0 {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        if value < 0 { first -= 1 }
        bytes.append(addingCapacity: digits.count - first) { output in
            for place in first..<digits.count { output.append(digits[place]) }
        }
    }

    /// A double, in the shortest form that gives the same value when read; null for infinity and not-a-number.
    package mutating func number(_ value: Double) {
        separate()
        bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    }

    /// `true` or `false`.
    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// `null`.
    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// An encoded value. It must be one compact JSON value: a line break would end an SSE `data` line.
    package mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// An encoded value, as text.
    package mutating func raw(_ json: String) {
        separate()
        bytes.append(contentsOf: json.utf8)
    }

    /// A whole tree.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object): self.object(object)
        }
    }

    /// An object with its members in their order.
    package mutating func object(_ object: JSONObject) {
        beginObject()
        for member in object.members { self.member(member.name, member.value) }
        endObject()
    }

    /// A name and its string.
    package mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    /// A name and its whole number.
    package mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        integer(value)
    }

    /// A name and its whole number.
    package mutating func member(_ name: String, _ value: Int) {
        self.name(name)
        integer(Int64(value))
    }

    /// A name and its truth value.
    package mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    /// A name and its tree.
    @_disfavoredOverload
    package mutating func member(_ name: String, _ value: JSONValue) {
        self.name(name)
        self.value(value)
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if Self.needsEscape(text) {
            for byte in text.utf8 { escape(byte) }
        } else {
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Up to this many bytes, one pass that checks and copies is faster than a search before a copy.
    private static let shortBytesMax = 24

    /// Writes a short text with its quotation marks.
    ///
    /// - Returns: false when the text is not short, or needs escapes; then nothing is written.
    private mutating func quoteShort(_ text: String, isName: Bool) -> Bool {
        guard text.utf8.count <= Self.shortBytesMax else { return false }
        let needsComma = needsComma
        var isPlain = true
        text.withByteSpan { span in
            bytes.append(addingCapacity: span.count + 4) { output in
                if needsComma { output.append(UInt8(ascii: ",")) }
                output.append(UInt8(ascii: "\""))
                for index in span.indices {
                    let byte = span[index]
                    if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { isPlain = false }
                    output.append(byte)
                }
                output.append(UInt8(ascii: "\""))
                if isName { output.append(UInt8(ascii: ":")) }
                if !isPlain { output.removeAll() }
            }
        }
        return isPlain
    }

    /// Whether a text needs escapes. It always reads all bytes, because most texts need none, and so several bytes are
    /// checked at once.
    private static func needsEscape(_ text: String) -> Bool {
        text.withByteSpan { span in
            var found: UInt8 = 0
            for index in span.indices {
                let byte = span[index]
                found |= byte < 0x20 ? 1 : 0
                found |= byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
            }
            return found != 0
        }
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
        case 0x08: bytes.append(contentsOf: "\\b".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0x0a: bytes.append(contentsOf: "\\n".utf8)
        case 0x0c: bytes.append(contentsOf: "\\f".utf8)
        case 0x0d: bytes.append(contentsOf: "\\r".utf8)
        case 0..<0x20:
            bytes.append(contentsOf: byte < 0x10 ? "\\u000".utf8 : "\\u00".utf8)
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}
