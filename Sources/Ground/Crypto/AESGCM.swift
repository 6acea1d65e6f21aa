import COpenSSL

/// AES-128-GCM (NIST SP 800-38D) without additional data.
/// - Confinement: any
package enum AESGCM {
    /// The bytes by which a ciphertext is longer than its plaintext.
    static let tagBytes = 16

    /// Encrypts with a key and a nonce that are used only once.
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - nonce: 12 bytes.
    /// - Returns: the ciphertext and its tag.
    static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) throws(TLSError) -> [UInt8] {
        check(key, nonce)
        ERR_clear_error()
        let context = unsafe EVP_CIPHER_CTX_new()
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: tagBytes)
        var (count, rest): (Int32, Int32) = (0, 0)
        // This mode writes nothing at the end, so the place for the tag will do.
        guard
            unsafe EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1
                && EVP_EncryptUpdate(context, &ciphertext, &count, plaintext, Int32(plaintext.count)) == 1
                && EVP_EncryptFinal_ex(context, &tag, &rest) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagBytes), &tag) == 1,
            count == plaintext.count, rest == 0
        else { throw .take() }
        return ciphertext + tag
    }

    /// Decrypts.
    /// - Parameters:
    ///   - sealed: the ciphertext and its tag.
    ///   - key: 16 bytes.
    ///   - nonce: 12 bytes.
    /// - Returns: nil when the tag is wrong: another key, or changed bytes.
    package static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        check(key, nonce)
        guard sealed.count >= tagBytes, sealed.count <= Int(Int32.max) else { return nil }
        ERR_clear_error()
        let context = unsafe EVP_CIPHER_CTX_new()
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let ciphertext = Array(sealed.dropLast(tagBytes))
        var tag = Array(sealed.suffix(tagBytes))
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count)
        var end = [UInt8](repeating: 0, count: tagBytes)
        var (count, rest): (Int32, Int32) = (0, 0)
        // Nothing of the plaintext leaves before the tag is known to be right.
        guard
            unsafe EVP_DecryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1
                && EVP_DecryptUpdate(context, &plaintext, &count, ciphertext, Int32(ciphertext.count)) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagBytes), &tag) == 1
                && EVP_DecryptFinal_ex(context, &end, &rest) == 1,
            count == ciphertext.count, rest == 0
        else { return nil }
        return plaintext
    }

    private static func check(_ key: [UInt8], _ nonce: [UInt8]) {
        precondition(key.count == 16 && nonce.count == 12, "a key has 16 bytes, a nonce has 12")
    }
}
