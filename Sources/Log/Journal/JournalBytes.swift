// The fields of an entry, and of the messages between nodes, as they are written. Numbers are LEB128 varints, those that may be negative zigzag first; texts are
// their length and UTF-8.
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
