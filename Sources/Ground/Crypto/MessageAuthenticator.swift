import COpenSSL

/// Makes the codes of many messages with one key: HMAC with SHA-256 (RFC 2104). The key is prepared once, and a message may
/// come in parts, which are not copied.
///
/// - Confinement: one thread at a time
@safe
package final class MessageAuthenticator {
    private let context: OpaquePointer

    /// - Parameter key: of any length; more than 32 bytes add no strength.
    package init(key: [UInt8]) {
        let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
        // The context keeps the algorithm.
        defer { unsafe EVP_MAC_free(algorithm) }
        guard let context = unsafe EVP_MAC_CTX_new(algorithm) else {
            preconditionFailure("OpenSSL has no HMAC: \(TLSError.take())")
        }
        var digest = Array("SHA256".utf8CString)
        let isReady = unsafe digest.withUnsafeMutableBufferPointer { name in
            let parameters = unsafe [
                OSSL_PARAM_construct_utf8_string("digest", name.baseAddress, 0), OSSL_PARAM_construct_end(),
            ]
            return unsafe EVP_MAC_init(context, key, key.count, parameters) == 1
        }
        precondition(isReady, "OpenSSL cannot compute an HMAC: \(TLSError.take())")
        unsafe self.context = context
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    /// The code of a message that consists of these parts.
    ///
    /// - Returns: 32 bytes.
    package func code(of parts: ArraySlice<UInt8>...) -> [UInt8] {
        // Without a key it begins again with the one that it has.
        var isDone = unsafe EVP_MAC_init(context, nil, 0, nil) == 1
        for part in parts {
            unsafe part.withUnsafeBufferPointer { bytes in
                isDone = unsafe EVP_MAC_update(context, bytes.baseAddress, bytes.count) == 1 && isDone
            }
        }
        var code = [UInt8](repeating: 0, count: 32)
        isDone = unsafe EVP_MAC_final(context, &code, nil, code.count) == 1 && isDone
        precondition(isDone, "OpenSSL cannot compute an HMAC: \(TLSError.take())")
        return code
    }
}

@available(*, unavailable)
extension MessageAuthenticator: Sendable {}
