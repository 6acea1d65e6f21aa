/// Collects frame heads that arrive in pieces; a complete head is read in place.
///
/// - Confinement: any
struct FrameHeaderDecoder: Sendable {
    private var held: [UInt8] = []

    /// Whether no byte of a head has arrived yet.
    var isEmpty: Bool { held.isEmpty }

    /// Continues at `offset`, which moves past the bytes read.
    ///
    /// - Returns: the next head, or nil if it needs more bytes; the present ones are kept.
    mutating func next(
        _ bytes: RawSpan,
        at offset: inout Int,
        rules: FrameHeader.Rules
    ) throws(WebSocketViolation) -> FrameHeader? {
        if held.isEmpty {
            let rest = bytes.extracting(droppingFirst: offset)
            if let (header, byteCount) = try FrameHeader.parse(rest, rules: rules) {
                offset += byteCount
                return header
            }
            held.reserveCapacity(FrameHeader.byteCountMax)
            held.append(copying: rest)
            offset = bytes.byteCount
            return nil
        }
        while offset < bytes.byteCount {
            held.append(bytes.byte(at: offset))
            offset += 1
            if let (header, _) = try Self.parse(held, rules: rules) {
                held = []
                return header
            }
        }
        return nil
    }

    private static func parse(
        _ bytes: [UInt8],
        rules: FrameHeader.Rules
    ) throws(WebSocketViolation) -> (header: FrameHeader, byteCount: Int)? {
        try bytes.withRawSpan { (span) throws(WebSocketViolation) in try FrameHeader.parse(span, rules: rules) }
    }
}
