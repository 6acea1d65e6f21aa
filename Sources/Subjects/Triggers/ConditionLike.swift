import Foundation
import GRDBSQLite
import Model

/// SQLite's LIKE and GLOB, with a count of the compared characters: a pattern with wildcards may compare the product of
/// both lengths in a single step of SQLite.
///
/// A test compares them with SQLite's.
///
/// - Confinement: store
struct ConditionLike {
    private enum Part {
        /// The bytes of one character, in lower case for LIKE where it is ASCII.
        case character([UInt8])
        case one, many
        case set([ClosedRange<UInt32>], isNegated: Bool)
        /// A part that cannot match: a set that is not closed, or an escape at the end.
        case never
    }

    private var parts: [Part] = []
    private let foldsCase: Bool

    /// A pattern of LIKE.
    ///
    /// - Parameter escape: The character that makes the next one literal; nil for none.
    init(like pattern: String, escape: Unicode.Scalar?) {
        foldsCase = true
        var scalars = pattern.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case escape:
                parts.append(scalars.next().map { .character(Self.folded($0)) } ?? .never)
            case "%": parts.append(.many)
            case "_": parts.append(.one)
            default: parts.append(.character(Self.folded(scalar)))
            }
        }
    }

    /// A pattern of GLOB.
    init(glob pattern: String) {
        foldsCase = false
        var rest = Array(pattern.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*": parts.append(.many)
            case "?": parts.append(.one)
            case "[": parts.append(Self.set(&rest))
            default: parts.append(.character(Array(String(scalar).utf8)))
            }
        }
    }

    /// The characters between brackets, after the opening one: a leading `^` negates the set, and a leading `]` is
    /// literal.
    private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) -> Part {
        var ranges: [ClosedRange<UInt32>] = []
        var isNegated = false
        if rest.first == "^" {
            isNegated = true
            rest.removeFirst()
        }
        if rest.first == "]" {
            ranges.append(0x5d...0x5d)
            rest.removeFirst()
        }
        var previous: UInt32?
        while let scalar = rest.popFirst() {
            if scalar == "]" { return .set(ranges, isNegated: isNegated) }
            if scalar == "-", let from = previous, let to = rest.first, to != "]" {
                rest.removeFirst()
                if from <= to.value { ranges.append(from...to.value) }
                previous = nil
            } else {
                ranges.append(scalar.value...scalar.value)
                previous = scalar.value
            }
        }
        return .never
    }

    private static func folded(_ scalar: Unicode.Scalar) -> [UInt8] {
        scalar.isASCII ? [folded(UInt8(scalar.value))] : Array(String(scalar).utf8)
    }

    private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

    /// Whether the pattern matches a text; nil when more than `comparisons` of a character are needed.
    ///
    /// Only the last `many` needs to be extended on a mismatch: it can take everything that an earlier one could.
    func matches(_ text: UnsafeBufferPointer<UInt8>, comparisons: inout Int) -> Bool? {
        var (place, part) = (0, 0)
        var mark: (place: Int, part: Int)?
        while place < text.count {
            comparisons -= 1
            guard comparisons >= 0 else { return nil }
            if part < parts.count, case .many = parts[part] {
                part += 1
                guard part < parts.count else { return true }
                mark = (place, part)
            } else if part < parts.count, let length = unsafe match(parts[part], text, place) {
                place += length
                part += 1
            } else if let (from, after) = mark {
                place = unsafe from + Self.length(of: text, at: from)
                part = after
                mark = (place, after)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { if case .many = $0 { true } else { false } }
    }

    /// Bytes of the text that a part matches; nil when it does not.
    private func match(_ part: Part, _ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int? {
        switch part {
        case .many, .never: return nil
        case .one: return unsafe Self.length(of: text, at: place)
        case .character(let bytes):
            guard place + bytes.count <= text.count else { return nil }
            for index in bytes.indices {
                let byte = unsafe text[place + index]
                guard (foldsCase ? Self.folded(byte) : byte) == bytes[index] else { return nil }
            }
            return bytes.count
        case .set(let ranges, let isNegated):
            let length = unsafe Self.length(of: text, at: place)
            let value = unsafe Self.value(of: text, at: place, length)
            return ranges.contains { $0.contains(value) } == isNegated ? nil : length
        }
    }

    private static func length(of text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        guard unsafe text[start] >= 0xc0 else { return 1 }
        var end = start + 1
        while unsafe end < text.count && end - start < 4 && ConditionTexts.isContinuation(text[end]) { end += 1 }
        return end - start
    }

    /// The code point of a character.
    private static func value(of text: UnsafeBufferPointer<UInt8>, at start: Int, _ length: Int) -> UInt32 {
        let first = unsafe UInt32(text[start])
        guard length > 1 else { return first }
        let masks: [UInt32] = [0, 0, 0x1f, 0x0f, 0x07]
        return (start + 1..<start + length).reduce(first & masks[length]) { value, index in
            let byte = unsafe text[index]
            return value << 6 | UInt32(byte & 0x3f)
        }
    }
}

/// `like(pattern, text)`, `like(pattern, text, escape)`: `text LIKE pattern ESCAPE escape`.
func callLike(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    unsafe match(context, count, values) { pattern, escape in ConditionLike(like: pattern, escape: escape) }
}

/// `glob(pattern, text)`: `text GLOB pattern`.
func callGlob(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    unsafe match(context, count, values) { pattern, _ in ConditionLike(glob: pattern) }
}

@unsafe
private func match(
    _ context: OpaquePointer?,
    _ count: Int32,
    _ values: UnsafeMutablePointer<OpaquePointer?>?,
    _ make: (String, Unicode.Scalar?) -> ConditionLike
) {
    guard let context = unsafe context, let values = unsafe values else { return }
    // As this SQLite is built, BLOBs match no pattern.
    guard unsafe sqlite3_value_type(values[0]) != SQLITE_BLOB,
        unsafe sqlite3_value_type(values[1]) != SQLITE_BLOB
    else {
        return unsafe sqlite3_result_int(context, 0)
    }
    guard unsafe sqlite3_value_bytes(values[0]) <= TriggerLimits.conditionPatternBytesMax else {
        unsafe sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1)
        return
    }
    var escape: Unicode.Scalar?
    if count > 2 {
        guard let bytes = unsafe sqlite3_value_text(values[2]) else { return }
        let length = unsafe Int(sqlite3_value_bytes(values[2]))
        let text = unsafe UnsafeBufferPointer(start: bytes, count: min(length, 5))
        let scalars = unsafe String(decoding: text, as: UTF8.self).unicodeScalars
        guard scalars.count == 1 else {
            unsafe sqlite3_result_error(context, "ESCAPE expression must be a single character", -1)
            return
        }
        escape = scalars.first
    }
    guard let texts = unsafe ConditionTexts.texts(context, count, values) else { return }
    // Both end at a zero byte, as strings in C do.
    let written = unsafe String(decoding: texts[0].prefix { $0 != 0 }, as: UTF8.self)
    let end = unsafe texts[1].firstIndex(of: 0) ?? texts[1].count
    let text = unsafe UnsafeBufferPointer(rebasing: texts[1][..<end])
    let pattern = make(written, escape)
    let match = unsafe ConditionTexts.counting(context) { comparisons in
        unsafe pattern.matches(text, comparisons: &comparisons)
    }
    guard let match, let isMatch = match else { return }
    unsafe sqlite3_result_int(context, isMatch ? 1 : 0)
}
