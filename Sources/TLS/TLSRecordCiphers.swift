import COpenSSL

/// OpenSSL's ciphers for the records of all connections of a loop: a connection keeps its keys alone, 48 bytes each way
/// instead of two contexts of a kilobyte.
///
/// OpenSSL does the encryption and the check; what the records around it are is for ``TLSRecords``.
/// - Confinement: loop
@safe
package final class TLSRecordCiphers {
    /// What is behind a record's content (RFC 8446, section 5.2).
    static let tagBytes = 16

    /// One cipher in one direction, and the key that it was given last.
    @safe
    private struct Slot {
        let context: OpaquePointer
        var key: InlineArray<32, UInt8>?
    }

    /// By suite, for encryption and for decryption.
    private var slots: [Slot] = []
    /// Records that the server uses one key for.
    let recordsPerKey: UInt64

    /// - Parameter recordsPerKey: after how many the server takes a new key, at least 2: AES-GCM is good for 2^24.5 full
    ///   ones (RFC 8446, section 5.5).
    /// - Throws: when the library has not got one of the ciphers.
    package init(recordsPerKey: UInt64 = 1 << 24) throws(TLSError) {
        precondition(recordsPerKey >= 2, "the last record of a key says that there is a new one")
        self.recordsPerKey = recordsPerKey
        for suite in TrafficSuite.allCases {
            for isEncrypting in [true, false] {
                ERR_clear_error()
                guard let cipher = unsafe EVP_CIPHER_fetch(nil, suite.cipherName, nil) else { throw .take() }
                defer { unsafe EVP_CIPHER_free(cipher) }
                guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .take() }
                unsafe slots.append(Slot(context: context))
                guard unsafe EVP_CipherInit_ex(context, cipher, nil, nil, nil, isEncrypting ? 1 : 0) == 1 else {
                    throw .take()
                }
            }
        }
    }

    deinit {
        for index in slots.indices {
            unsafe EVP_CIPHER_CTX_free(slots[index].context)
            unsafe OPENSSL_cleanse(&slots[index].key, MemoryLayout<InlineArray<32, UInt8>>.size)
        }
    }

    /// Encrypts one record.
    /// - Parameters:
    ///   - header: the record's five bytes.
    ///   - content: what it holds.
    ///   - type: stands behind the content.
    ///   - output: gets as many bytes as content, type and tag have.
    /// - Returns: false when OpenSSL cannot.
    @unsafe
    func seal(
        _ content: UnsafeRawBufferPointer, type: UInt8, header: [UInt8], with key: inout TrafficKey,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let context = unsafe prepare(&key, isEncrypting: true), let start = output.baseAddress else {
            return false
        }
        let bytes = unsafe start.assumingMemoryBound(to: UInt8.self)
        var (length, lastLength, type) = (Int32(0), Int32(0), type)
        guard unsafe EVP_CipherUpdate(context, nil, &length, header, Int32(header.count)) == 1 else { return false }
        let count = content.count
        if count > 0 {
            let input = unsafe content.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard unsafe EVP_CipherUpdate(context, bytes, &length, input, Int32(count)) == 1, length == count else {
                return false
            }
        }
        return unsafe EVP_CipherUpdate(context, bytes + count, &length, &type, 1) == 1 && length == 1
            && EVP_CipherFinal_ex(context, bytes + count + 1, &lastLength) == 1 && lastLength == 0
            && EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, Int32(TLSRecordCiphers.tagBytes), bytes + count + 1) == 1
    }

    /// Decrypts one record, and checks that nobody has changed it.
    /// - Parameters:
    ///   - header: the record's five bytes.
    ///   - content: what stands behind the header, with the tag: more than ``tagBytes``.
    ///   - output: gets what it holds; worth nothing when the answer is false.
    /// - Returns: whether it is what the peer sent.
    @unsafe
    func open(
        _ content: UnsafeRawBufferPointer, header: UnsafeRawBufferPointer, with key: inout TrafficKey,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let count = content.count - TLSRecordCiphers.tagBytes
        guard let context = unsafe prepare(&key, isEncrypting: false), count > 0, output.count >= count,
            let start = output.baseAddress, let input = content.baseAddress
        else { return false }
        let bytes = unsafe start.assumingMemoryBound(to: UInt8.self)
        let associated = unsafe header.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var (length, lastLength) = (Int32(0), Int32(0))
        let tag = unsafe UnsafeMutableRawPointer(mutating: input + count)
        return unsafe EVP_CipherUpdate(context, nil, &length, associated, Int32(header.count)) == 1
            && EVP_CipherUpdate(context, bytes, &length, input.assumingMemoryBound(to: UInt8.self), Int32(count)) == 1
            && length == count
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(TLSRecordCiphers.tagBytes), tag) == 1
            && EVP_CipherFinal_ex(context, bytes + count, &lastLength) == 1
    }

    /// Gives a context the key, unless it has it, and the nonce of the next record.
    @unsafe
    private func prepare(_ key: inout TrafficKey, isEncrypting: Bool) -> OpaquePointer? {
        let index = Int(key.suite.rawValue - TrafficSuite.aes128.rawValue) * 2 + (isEncrypting ? 0 : 1)
        let context = unsafe slots[index].context
        ERR_clear_error()
        var nonce = key.nextNonce()
        var (bytes, isKnown) = (key.key, false)
        if var known = slots[index].key { unsafe isKnown = CRYPTO_memcmp(&known, &bytes, 32) == 0 }
        slots[index].key = bytes
        let result = unsafe withUnsafeBytes(of: &nonce) { nonce in
            unsafe withUnsafeBytes(of: &bytes) { bytes in
                let vector = unsafe nonce.baseAddress?.assumingMemoryBound(to: UInt8.self)
                let material = unsafe isKnown ? nil : bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe EVP_CipherInit_ex(context, nil, nil, material, vector, isEncrypting ? 1 : 0)
            }
        }
        guard result == 1 else {
            slots[index].key = nil
            return nil
        }
        return unsafe context
    }
}

@available(*, unavailable)
extension TLSRecordCiphers: Sendable {}
