import COpenSSL
import Synchronization

/// The keys that encrypt tickets: a client keeps the state of its session in one, so that the server keeps none (RFC 5077).
///
/// Several contexts may share them, so sessions can be resumed after a reload of the certificate. They change every few
/// hours: a thief of a key can read the TLS 1.2 sessions that were resumed with it.
/// - Confinement: any
package final class TLSTicketKeys: Sendable {
    /// One key: its name in the ticket, AES-256, HMAC-SHA-256.
    private struct Key: Sendable {
        static let nameBytes = 16
        let name: [UInt8]
        let cipherKey: [UInt8]
        let codeKey: [UInt8]

        init() throws(TLSError) {
            name = try SecureRandom.bytes(Key.nameBytes)
            cipherKey = try SecureRandom.bytes(32)
            codeKey = try SecureRandom.bytes(32)
        }
    }

    /// Earlier keys that still open tickets, beside the present one.
    private static let earlierKeysMax = 2
    /// Newest first. Under a lock: contexts of all loops read them.
    private let keys: Mutex<[Key]>

    /// Makes the first key.
    package init() throws(TLSError) {
        keys = Mutex([try Key()])
    }

    /// Makes a new key for tickets from now on; call it every few hours. A key opens tickets for two more calls.
    package func rotate() throws(TLSError) {
        let key = try Key()
        keys.withLock { keys in
            keys.insert(key, at: 0)
            if keys.count > TLSTicketKeys.earlierKeysMax + 1 { keys.removeLast() }
        }
    }

    /// Lets a server context make and open tickets with these keys, which must outlive it.
    @unsafe
    func serve(_ context: OpaquePointer) {
        unsafe SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque())
        unsafe SSL_CTX_set_tlsext_ticket_key_evp_cb(context) { ssl, name, vector, cipher, code, isNew in
            guard let owner = unsafe SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0) else { return -1 }
            let keys = unsafe Unmanaged<TLSTicketKeys>.fromOpaque(owner).takeUnretainedValue()
            guard let name = unsafe name, let vector = unsafe vector, let code = unsafe code else { return -1 }
            return unsafe isNew == 1
                ? keys.seal(name: name, vector: vector, cipher, code)
                : keys.open(name: name, vector: vector, cipher, code)
        }
    }

    /// Prepares the encryption of a ticket.
    /// - Returns: 1, or -1 on failure.
    @unsafe
    private func seal(
        name: UnsafeMutablePointer<UInt8>,
        vector: UnsafeMutablePointer<UInt8>,
        _ cipher: OpaquePointer?,
        _ code: OpaquePointer
    ) -> Int32 {
        guard let key = keys.withLock({ $0.first }) else { return -1 }
        unsafe name.update(from: key.name, count: Key.nameBytes)
        let isReady =
            unsafe RAND_bytes(vector, 16) == 1
            && EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nil, key.cipherKey, vector) == 1
            && Self.set(key.codeKey, on: code)
        return isReady ? 1 : -1
    }

    /// Prepares the decryption of a ticket.
    /// - Returns: 1, 2 when a new ticket is due, 0 when the key is unknown (a full handshake follows), -1 on failure.
    @unsafe
    private func open(
        name: UnsafeMutablePointer<UInt8>,
        vector: UnsafeMutablePointer<UInt8>,
        _ cipher: OpaquePointer?,
        _ code: OpaquePointer
    ) -> Int32 {
        let known = keys.withLock { $0 }
        let given = unsafe Array(UnsafeBufferPointer(start: name, count: Key.nameBytes))
        guard let index = known.firstIndex(where: { $0.name == given }) else { return 0 }
        let key = known[index]
        let isReady =
            unsafe EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nil, key.cipherKey, vector) == 1
            && Self.set(key.codeKey, on: code)
        guard isReady else { return -1 }
        return index == 0 ? 1 : 2
    }

    @unsafe
    private static func set(_ key: [UInt8], on code: OpaquePointer) -> Bool {
        var key = key
        var digest = Array("SHA256".utf8CString)
        return unsafe key.withUnsafeMutableBytes { key in
            unsafe digest.withUnsafeMutableBufferPointer { digest in
                let parameters = unsafe [
                    OSSL_PARAM_construct_octet_string(watchwise_OSSL_MAC_PARAM_KEY, key.baseAddress, key.count),
                    OSSL_PARAM_construct_utf8_string(watchwise_OSSL_MAC_PARAM_DIGEST, digest.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_MAC_CTX_set_params(code, parameters) == 1
            }
        }
    }
}
