import COpenSSL

/// Random bytes for keys, tokens and masks.
/// - Confinement: any
package enum SecureRandom {
    /// Bytes from OpenSSL's generator, which the kernel seeds.
    /// - Throws: `TLSError` when it cannot be seeded; nothing weaker is used instead.
    package static func bytes(_ count: Int) throws(TLSError) -> [UInt8] {
        precondition(count >= 0 && count <= Int(Int32.max), "a count of random bytes is 0 to 2^31 - 1")
        var bytes = [UInt8](repeating: 0, count: count)
        ERR_clear_error()
        if unsafe RAND_bytes(&bytes, Int32(count)) != 1 { throw .take() }
        return bytes
    }
}
