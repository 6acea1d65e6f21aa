import COpenSSL

/// Keyed digests (RFC 2104).
/// - Confinement: any
package enum HMAC {
    /// HMAC with SHA-256.
    /// - Parameter key: of any length; more than 32 bytes add no strength.
    /// - Returns: 32 bytes.
    package static func sha256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        precondition(key.count <= Int(Int32.max), "OpenSSL takes keys up to 2 GiB")
        var code = [UInt8](repeating: 0, count: 32)
        let result = unsafe COpenSSL.HMAC(
            EVP_sha256(),
            key,
            Int32(key.count),
            message,
            message.count,
            &code,
            nil
        )
        unsafe precondition(result != nil, "OpenSSL cannot compute an HMAC: \(TLSError.take())")
        return code
    }
}

/// Compares secrets in a time that depends on their lengths only.
/// - Confinement: any
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe CRYPTO_memcmp(left, right, left.count) == 0
}
