import Wire

/// The meaning of a server's message, as far as a benchmark needs it.
enum Heard: Equatable {
    /// The server has answered the handshake and is ready.
    case ready
    /// A command succeeded, or was refused.
    case ok, refused
    /// Somebody's message, with the number in it; nil when it has none.
    case delivery(Int?)
    /// The server asks whether the client is alive.
    case ping
    case other

    /// Reads a message of WatchWise by its first bytes, in the form that the server writes: `{"re":1,"ok":…`,
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
