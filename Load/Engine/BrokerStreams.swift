import Wire

/// Reads the streams that two brokers send inside of their frames: a message may begin in one frame and end in another.
struct BrokerStream {
    private var rest: [UInt8] = []

    /// Calls `take` with each complete message of a stream.
    mutating func receive(_ bytes: RawSpan, as dialect: Dialect, _ take: (Heard) -> Void) {
        guard !rest.isEmpty else {
            let end = Self.scan(bytes, dialect, take)
            if end < bytes.byteCount { rest.append(copying: bytes.extracting(droppingFirst: end)) }
            return
        }
        rest.append(copying: bytes)
        let end = rest.withRawSpan { Self.scan($0, dialect, take) }
        rest.removeFirst(end)
    }

    private static func scan(_ bytes: RawSpan, _ dialect: Dialect, _ take: (Heard) -> Void) -> Int {
        var offset = 0
        while offset < bytes.byteCount {
            let rest = bytes.extracting(droppingFirst: offset)
            guard let (length, heard) = dialect == .nats ? nats(rest) : mqtt(rest) else { break }
            take(heard)
            offset += length
        }
        return offset
    }

    /// A line of NATS; after `MSG`, also its payload: `MSG fan 1 32\r
    /// …\r
    /// `.
    private static func nats(_ bytes: RawSpan) -> (Int, Heard)? {
        var end = 0
        while end < bytes.byteCount, bytes.byte(at: end) != UInt8(ascii: "\n") { end += 1 }
        guard end < bytes.byteCount else { return nil }
        switch bytes.byte(at: 0) {
        case UInt8(ascii: "M"):
            var size = 0
            var place = end - 2
            var unit = 1
            while place > 0, bytes.byte(at: place) != UInt8(ascii: " ") {
                size += unit * Int(bytes.byte(at: place) &- UInt8(ascii: "0"))
                unit *= 10
                place -= 1
            }
            guard size >= 0, size <= bytes.byteCount - end - 3 else { return nil }
            var hint = 0
            return (end + 3 + size, .delivery(Marker.find(in: bytes.extracting(end + 1..<end + 1 + size), hint: &hint)))
        case UInt8(ascii: "P"): return (end + 1, bytes.byte(at: 1) == UInt8(ascii: "O") ? .ready : .ping)
        case UInt8(ascii: "-"): return (end + 1, .refused)
        default: return (end + 1, .other)
        }
    }

    /// A packet of MQTT 3.1.1.
    private static func mqtt(_ bytes: RawSpan) -> (Int, Heard)? {
        var length = 0
        var head = 1
        while true {
            guard head < bytes.byteCount, head < 5 else { return nil }
            let byte = bytes.byte(at: head)
            length |= Int(byte & 0x7F) << (7 * (head - 1))
            head += 1
            if byte & 0x80 == 0 { break }
        }
        guard length <= bytes.byteCount - head else { return nil }
        switch bytes.byte(at: 0) >> 4 {
        case 2: return (head + length, length >= 2 && bytes.byte(at: head + 1) == 0 ? .ok : .refused)
        case 3:
            guard length >= 2 else { return (head + length, .other) }
            let topic = Int(bytes.byte(at: head)) << 8 | Int(bytes.byte(at: head + 1))
            guard topic + 2 <= length else { return (head + length, .other) }
            var hint = 0
            let payload = bytes.extracting(head + 2 + topic..<head + length)
            return (head + length, .delivery(Marker.find(in: payload, hint: &hint)))
        case 9: return (head + length, .ready)
        default: return (head + length, .other)
        }
    }
}
