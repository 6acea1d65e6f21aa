// The fields of an entry, and of the messages between nodes, as they are written. Numbers are LEB128 varints, those that
// may be negative zigzag first; texts are their length and UTF-8.
extension [UInt8] {
    /// A number, seven bits a byte, the lowest first.
    @inlinable
    package mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// A count, or another number that is never negative.
    @inlinable
    package mutating func append(count: Int) { append(varint: UInt64(count)) }

    /// A number that may be negative: 0, -1, 1, -2 … are written as 0, 1, 2, 3 …
    @inlinable
    package mutating func append(signed number: Int64) {
        append(varint: UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// A text: its length in bytes, and UTF-8.
    package mutating func append(text: String) {
        append(count: text.utf8.count)
        append(contentsOf: text.utf8)
    }

    /// 1 or 0.
    package mutating func append(isTrue: Bool) { append(isTrue ? 1 : 0) }

    /// A value that may be absent: 0, or 1 and the value.
    package mutating func append<Value>(optional value: Value?, _ write: (inout [UInt8], Value) -> Void) {
        append(isTrue: value != nil)
        if let value { write(&self, value) }
    }

    /// How many there are, and each of them.
    package mutating func append<Value>(list: [Value], _ write: (inout [UInt8], Value) -> Void) {
        append(count: list.count)
        for value in list { write(&self, value) }
    }
}

/// Reads the fields of an entry, or of a message between nodes, one after the other. Each value has one form, and all
/// others are refused.
///
/// - Confinement: any
package struct FieldReader {
    package let bytes: [UInt8]
    package private(set) var place: Int
    private let end: Int

    /// - Parameter range: the bytes that are read.
    package init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        place = range.lowerBound
        end = range.upperBound
    }

    /// Bytes that are left.
    package var bytesLeft: Int { end - place }

    /// - Throws: ``JournalProblem/rest(bytes:)`` when bytes are left.
    package func finish() throws(JournalProblem) {
        guard bytesLeft == 0 else { throw .rest(bytes: bytesLeft) }
    }

    /// One byte.
    package mutating func byte(_ field: String) throws(JournalProblem) -> UInt8 {
        guard place < end else { throw .truncated(field: field) }
        defer { place += 1 }
        return bytes[place]
    }

    /// A number, seven bits a byte, the lowest first.
    package mutating func varint(_ field: String) throws(JournalProblem) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte(field)
            // The tenth byte has the last bit of 64.
            guard shift < 63 || next <= 1 else { throw .value(field: field) }
            number |= UInt64(next & 0x7F) << shift
            guard next >= 0x80 else {
                // A last byte of zero would be a second form of the same number.
                guard next != 0 || shift == 0 else { throw .value(field: field) }
                return number
            }
            shift += 7
        }
    }

    /// A number that may be negative.
    package mutating func signed(_ field: String) throws(JournalProblem) -> Int64 {
        let number = try varint(field)
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// A number that is never negative.
    package mutating func count(_ field: String) throws(JournalProblem) -> Int {
        guard let count = Int(exactly: try varint(field)) else { throw .value(field: field) }
        return count
    }

    /// How many things follow, each of which takes at least `bytesMin` bytes: no more memory is taken than the bytes
    /// that are there can fill.
    package mutating func count(of field: String, bytesMin: Int = 1) throws(JournalProblem) -> Int {
        let count = try count(field)
        guard count <= bytesLeft / bytesMin else { throw .truncated(field: field) }
        return count
    }

    /// The place of bytes whose length stands before them.
    package mutating func range(_ field: String) throws(JournalProblem) -> Range<Int> {
        let count = try count(of: field)
        defer { place += count }
        return place..<place + count
    }

    /// A text: its length in bytes, and UTF-8.
    package mutating func text(_ field: String) throws(JournalProblem) -> String {
        let range = try range(field)
        guard let text = String(validating: bytes[range], as: UTF8.self) else { throw .value(field: field) }
        return text
    }

    /// Whether bytes are a text, without making one.
    func isUTF8(_ range: Range<Int>) -> Bool {
        do {
            _ = try UTF8Span(validating: bytes.span.extracting(range))
            return true
        } catch { return false }
    }

    /// 1 or 0.
    package mutating func isTrue(_ field: String) throws(JournalProblem) -> Bool {
        switch try byte(field) {
        case 0: return false
        case 1: return true
        default: throw .value(field: field)
        }
    }

    /// The eight bytes of a number, the lowest first.
    mutating func word(_ field: String) throws(JournalProblem) -> UInt64 {
        guard bytesLeft >= 8 else { throw .truncated(field: field) }
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(bytes[place + index]) << UInt64(8 * index) }
        place += 8
        return word
    }

    /// A value that may be absent: 0, or 1 and the value.
    package mutating func optional<Value>(
        _ field: String, _ read: (inout FieldReader) throws(JournalProblem) -> Value
    ) throws(JournalProblem) -> Value? {
        try isTrue(field) ? try read(&self) : nil
    }

    /// How many there are, and each of them.
    package mutating func list<Value>(
        _ field: String, bytesMin: Int = 1, _ read: (inout FieldReader) throws(JournalProblem) -> Value
    ) throws(JournalProblem) -> [Value] {
        let count = try count(of: field, bytesMin: bytesMin)
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }
}
