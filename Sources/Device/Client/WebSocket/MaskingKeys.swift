import Crypto

/// Masking keys from a strong source of entropy (RFC 6455, section 5.3), drawn many at a time.
/// - Confinement: any
struct MaskingKeys: Sendable {
    private static let bytesPerDraw = 256

    private var bytes: [UInt8] = []

    /// The next key.
    mutating func next() -> UInt32 {
        if bytes.count < 4 { refill() }
        var key: UInt32 = 0
        for _ in 0..<4 { key = key << 8 | UInt32(bytes.popLast() ?? 0) }
        return key
    }

    /// 16 bytes for a handshake.
    static func nonce() -> [UInt8] {
        (try? SecureRandom.bytes(16)) ?? systemBytes(16)
    }

    private mutating func refill() {
        bytes = (try? SecureRandom.bytes(Self.bytesPerDraw)) ?? Self.systemBytes(Self.bytesPerDraw)
    }

    /// The kernel's random bytes: OpenSSL's generator cannot be seeded, which a simulation needs.
    private static func systemBytes(_ count: Int) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<count).map { _ in .random(in: .min ... .max, using: &random) }
    }
}
