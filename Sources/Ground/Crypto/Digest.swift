import COpenSSL

/// Cryptographic digests (FIPS 180-4).
///
/// They take any input. A library without the algorithm is a broken installation: the process ends.
/// - Confinement: any
package enum Digest {
    /// SHA-1, only for the WebSocket handshake, which requires it (RFC 6455, section 4.2.2).
    /// - Returns: 20 bytes.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        unsafe compute(EVP_sha1(), bytes, size: 20)
    }

    /// SHA-256.
    /// - Returns: 32 bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        unsafe compute(EVP_sha256(), bytes, size: 32)
    }

    @unsafe
    private static func compute(_ kind: OpaquePointer?, _ bytes: [UInt8], size: Int) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: size)
        let result = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, kind, nil)
        precondition(result == 1, "OpenSSL cannot compute a digest: \(TLSError.take())")
        return digest
    }
}
