/// Reads the length of a client's first message from the first bytes of a connection, before OpenSSL allocates memory for
/// the whole message: nine bytes could make it take 128 KiB.
/// - Confinement: any
struct HelloLength {
    /// A hello of today has 0.5 to 2 KB.
    private static let bytesMax: UInt64 = 16 << 10
    /// The header of the record (RFC 8446, section 5.1) and that of the message in it (section 4).
    private static let headerBytes: UInt8 = 9
    private static let handshakeType: UInt8 = 22

    private var count: UInt8 = 0
    private var type: UInt8 = 0
    /// The eight bytes after the type, as one number.
    private var rest: UInt64 = 0

    /// Looks at the next bytes.
    ///
    /// - Returns: false when the message is too long, or when its length is not in the first record. All clients send it
    ///   there.
    mutating func admits(_ bytes: RawSpan) -> Bool {
        guard count < Self.headerBytes else { return true }
        for offset in 0..<min(Int(Self.headerBytes - count), bytes.byteCount) {
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            if count == 0 { type = byte } else { rest = rest << 8 | UInt64(byte) }
            count += 1
        }
        // OpenSSL itself refuses other types.
        guard count == Self.headerBytes, type == Self.handshakeType else { return true }
        let recordBytes = rest >> 32 & 0xFFFF
        let helloBytes = rest & 0xFF_FFFF
        return recordBytes >= 4 && helloBytes <= Self.bytesMax
    }
}
