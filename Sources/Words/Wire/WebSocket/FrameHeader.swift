/// The head of one frame, checked as far as possible without its message.
///
/// ```
///  0               1               2               3
/// +-+-+-+-+-------+-+-------------+-------------------------------+
/// |F|R|R|R| opcode|M| length (7)  |  length, 16 or 64 bits, if    |
/// |I|S|S|S|  (4)  |A|             |  the 7 bits say 126 or 127    |
/// |N|V|V|V|       |S|             +-------------------------------+
/// | |1|2|3|       |K|             |  masking key, 32 bits, if MASK |
/// +-+-+-+-+-------+-+-------------+-------------------------------+
/// ```
/// RFC 6455 section 5.2.
///
/// - Confinement: any
struct FrameHeader: Sendable, Equatable {
    /// The longest head: two bytes, eight of length, four of masking key.
    static let byteCountMax = 14

    let opcode: WebSocketOpcode
    let isFinal: Bool
    /// RSV1: the message is compressed (RFC 7692 section 6).
    let isCompressed: Bool
    /// Bytes of payload that follow.
    let payloadCount: Int
    /// The masking key with its first byte in the top bits; 0 if the frame is not masked.
    let maskingKey: UInt32

    /// The demands on the frames of one direction of one connection.
    struct Rules: Sendable, Equatable {
        /// Clients mask, servers do not (RFC 6455 section 5.1).
        let isMaskRequired: Bool
        /// Whether compression was negotiated, so that RSV1 may be set.
        let mayCompress: Bool
    }

    /// Reads the head at the start of `bytes`.
    ///
    /// Each byte is checked as soon as it is here, so that the result does not depend on how the bytes were cut.
    /// - Returns: the head and its length in bytes, or nil if it is longer than `bytes`.
    static func parse(
        _ bytes: RawSpan,
        rules: Rules
    ) throws(WebSocketViolation) -> (header: FrameHeader, byteCount: Int)? {
        guard bytes.byteCount >= 1 else { return nil }
        let first = bytes.byte(at: 0)
        let opcode = try checkedOpcode(first, rules: rules)
        guard bytes.byteCount >= 2 else { return nil }
        let second = bytes.byte(at: 1)
        guard (second & 0x80 != 0) == rules.isMaskRequired else {
            throw .protocolError(rules.isMaskRequired ? "a client's frame must be masked" : "a server must not mask")
        }
        var payloadCount = Int(second & 0x7F)
        guard !opcode.isControl || payloadCount <= 125 else { throw .protocolError("control frame over 125 bytes") }

        var offset = 2
        if payloadCount > 125 {
            let lengthBytes = payloadCount == 126 ? 2 : 8
            guard bytes.byteCount >= offset + lengthBytes else { return nil }
            payloadCount = try extendedLength(bytes, byteCount: lengthBytes)
            offset += lengthBytes
        }
        var maskingKey: UInt32 = 0
        if rules.isMaskRequired {
            guard bytes.byteCount >= offset + 4 else { return nil }
            for index in offset..<offset + 4 { maskingKey = maskingKey << 8 | UInt32(bytes.byte(at: index)) }
            offset += 4
        }
        let header = FrameHeader(
            opcode: opcode,
            isFinal: first & 0x80 != 0,
            isCompressed: first & 0x40 != 0,
            payloadCount: payloadCount,
            maskingKey: maskingKey
        )
        return (header, offset)
    }

    /// Checks the first byte: reserved bits, reserved opcodes, fragmented control frames.
    private static func checkedOpcode(_ first: UInt8, rules: Rules) throws(WebSocketViolation) -> WebSocketOpcode {
        guard first & 0x30 == 0 else { throw .protocolError("a reserved bit is set") }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else { throw .protocolError("reserved opcode") }
        if first & 0x40 != 0 {
            // Only the first frame of a data message has the bit (RFC 7692 section 6.1).
            guard rules.mayCompress, opcode == .text || opcode == .binary else {
                throw .protocolError("a reserved bit is set")
            }
        }
        guard first & 0x80 != 0 || !opcode.isControl else { throw .protocolError("fragmented control frame") }
        return opcode
    }

    /// Reads a length of 2 or 8 bytes from offset 2. It must be the shortest form, and the top bit of 64 must be 0.
    private static func extendedLength(_ bytes: RawSpan, byteCount: Int) throws(WebSocketViolation) -> Int {
        var length: UInt64 = 0
        for index in 2..<2 + byteCount { length = length << 8 | UInt64(bytes.byte(at: index)) }
        guard let payloadCount = Int(exactly: length) else { throw .protocolError("the length's top bit is set") }
        guard payloadCount > (byteCount == 2 ? 125 : 0xFFFF) else {
            throw .protocolError("the length is not in its shortest form")
        }
        return payloadCount
    }
}
