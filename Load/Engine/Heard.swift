import Wire

/// What a message from a server says, as far as a benchmark must know.
enum Heard: Equatable {
    /// The server is ready for what follows its handshake.
    case ready
    /// A command was done, or refused.
    case ok, refused
    /// What somebody sent, with the number in it; nil when there is none.
    case delivery(Int?)
    /// It wants to be told that this side lives.
    case ping
    case other

    /// Reads a message of WatchWise by its first bytes, as the server writes them: `{"re":1,"ok":…`,
    /// `{"seq":12,"type":"message",…`.
    static func watchwise(_ bytes: RawSpan, hint: inout Int) -> Heard {
        guard bytes.byteCount > 12, bytes.byte(at: 0) == UInt8(ascii: "{") else { return .other }
        switch bytes.byte(at: 2) {
        case UInt8(ascii: "r"):
            guard let comma = index(of: UInt8(ascii: ","), in: bytes, from: 6, to: 40) else { return .other }
            return bytes.byte(at: comma + 2) == UInt8(ascii: "o") ? .ok : .refused
        case UInt8(ascii: "s"):
            // {"seq":123,"type":"n
            guard let comma = index(of: UInt8(ascii: ","), in: bytes, from: 7, to: 40),
                comma + 22 < bytes.byteCount
            else { return .other }
            let end: Int
            switch bytes.byte(at: comma + 9) {
            case UInt8(ascii: "m"): end = comma + 9 + "message".utf8.count
            case UInt8(ascii: "n"): end = comma + 9 + "notification".utf8.count
            default: return .other
            }
            guard bytes.byte(at: end) == UInt8(ascii: "\"") else { return .other }
            return .delivery(Marker.find(in: bytes, hint: &hint))
        default: return .other
        }
    }

    private static func index(of byte: UInt8, in bytes: RawSpan, from start: Int, to end: Int) -> Int? {
        for place in start..<min(end, bytes.byteCount - 2) where bytes.byte(at: place) == byte { return place }
        return nil
    }
}
