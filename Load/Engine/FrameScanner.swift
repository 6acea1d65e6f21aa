import Wire

/// Finds the frames in a server's bytes, at the least cost, since the server is to be measured and not this program.
struct FrameScanner {
    /// The kind of a frame.
    enum Found {
        case data, close, ping, other
    }

    /// The beginning of an incomplete frame.
    private var rest: [UInt8] = []

    /// Calls `take` with the payload of each complete frame, in order.
    mutating func receive(_ bytes: RawSpan, _ take: (Found, RawSpan) -> Void) {
        guard !rest.isEmpty else {
            let end = Self.scan(bytes, take)
            if end < bytes.byteCount { rest.append(copying: bytes.extracting(droppingFirst: end)) }
            return
        }
        rest.append(copying: bytes)
        let end = rest.withRawSpan { Self.scan($0, take) }
        rest.removeFirst(end)
    }

    /// - Returns: where the first incomplete frame begins.
    private static func scan(_ bytes: RawSpan, _ take: (Found, RawSpan) -> Void) -> Int {
        var offset = 0
        let count = bytes.byteCount
        while offset + 2 <= count {
            var length = Int(bytes.byte(at: offset + 1) & 0x7F)
            var head = 2
            if length >= 126 {
                head = length == 126 ? 4 : 10
                guard offset + head <= count else { break }
                length = 0
                for place in 2..<head { length = length << 8 | Int(bytes.byte(at: offset + place)) }
            }
            let start = offset + head
            guard length >= 0, length <= count - start else { break }
            let found: Found =
                switch bytes.byte(at: offset) & 0x0F {
                case 0x0, 0x1, 0x2: .data
                case 0x8: .close
                case 0x9: .ping
                default: .other
                }
            take(found, bytes.extracting(start..<start + length))
            offset = start + length
        }
        return offset
    }
}
