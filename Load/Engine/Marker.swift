import Wire

/// A number inside of each message, `~0000000042~`, so that a receiver can find lost, repeated or reordered messages
/// without reading the rest.
enum Marker {
    static let byteCount = 12
    private static let bound = UInt8(ascii: "~")
    private static let zero = UInt8(ascii: "0")

    /// - Parameter number: 0 to 9,999,999,999.
    static func bytes(_ number: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: bound, count: byteCount)
        var rest = number
        for place in stride(from: byteCount - 2, to: 0, by: -1) {
            bytes[place] = zero + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return bytes
    }

    static func text(_ number: Int) -> String { String(decoding: bytes(number), as: UTF8.self) }

    /// Finds the number in a message.
    ///
    /// - Parameter hint: The marker's place in the last message, which is nearly always the same.
    static func find(in bytes: RawSpan, hint: inout Int) -> Int? {
        if let number = number(in: bytes, at: hint) { return number }
        var place = 0
        while place + byteCount <= bytes.byteCount {
            if bytes.byte(at: place) == bound, let number = number(in: bytes, at: place) {
                hint = place
                return number
            }
            place += 1
        }
        return nil
    }

    private static func number(in bytes: RawSpan, at place: Int) -> Int? {
        guard place + byteCount <= bytes.byteCount, bytes.byte(at: place) == bound,
            bytes.byte(at: place + byteCount - 1) == bound
        else { return nil }
        var number = 0
        for offset in 1..<byteCount - 1 {
            let digit = bytes.byte(at: place + offset) &- zero
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        return number
    }
}
