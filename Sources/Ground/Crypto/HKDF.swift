/// Keys derived from one secret (RFC 5869) with HMAC-SHA-256.
/// - Confinement: any
struct HKDF {
    /// The pseudorandom key.
    private let key: [UInt8]

    /// Extracts the secret's randomness (section 2.2).
    init(salt: [UInt8], secret: [UInt8]) {
        key = HMAC.sha256(key: salt, message: secret)
    }

    /// A key for one purpose (section 2.3).
    /// - Parameters:
    ///   - info: Names the purpose: other bytes give another key.
    ///   - count: Its bytes, 1 to 32: one step of the standard's up to 255.
    func key(for info: [UInt8], count: Int) -> [UInt8] {
        precondition((1...32).contains(count), "a derived key has 1 to 32 bytes")
        return Array(HMAC.sha256(key: key, message: info + [1]).prefix(count))
    }
}
