import COpenSSL
import Digits
import TestSupport
import Testing
@testable import Crypto

/// A client that agrees with a server by means of OpenSSL and then makes its records itself (RFC 8446, sections 5 and
/// 7): they may hold what no library sends.
struct RecordForger {
    enum ContentType {
        static let alert: UInt8 = 21
        static let handshake: UInt8 = 22
        static let applicationData: UInt8 = 23
    }

    let server: TLSEngine
    private var secret: [UInt8]
    private var sequence: UInt64 = 0

    init(_ certificates: Certificates) throws {
        let (context, log) = (try certificates.client(), KeyLog())
        unsafe SSL_CTX_set_ex_data(context.handle, 0, Unmanaged.passUnretained(log).toOpaque())
        unsafe SSL_CTX_set_keylog_callback(context.handle) { ssl, line in
            guard let log = unsafe SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0), let line = unsafe line else { return }
            unsafe Unmanaged<KeyLog>.fromOpaque(log).takeUnretainedValue().lines.append(String(cString: line))
        }
        var pair = try EnginePair(certificates.server(), context)
        pair.run()
        try #require(pair.isOpen && pair.client.suite == "TLS_AES_128_GCM_SHA256", "\(pair)")
        server = pair.server
        secret = try #require(log.secret("CLIENT_TRAFFIC_SECRET_0"))
    }

    /// Sends records in one piece.
    /// - Returns: the plaintext that the server takes out of them.
    @discardableResult
    func send(_ records: [[UInt8]]) -> [UInt8] {
        var plaintext: [UInt8] = []
        records.flatMap { $0 }.withRawSpan { _ = server.receive($0, into: &plaintext) }
        return plaintext
    }

    /// A record with the next number.
    mutating func record(_ content: [UInt8], type: UInt8) -> [UInt8] {
        let (key, vector) = (expand("key", count: 16), expand("iv", count: 12))
        let nonce = vector.indices.map { index in
            index < 4 ? vector[index] : vector[index] ^ UInt8(truncatingIfNeeded: sequence >> UInt64(8 * (11 - index)))
        }
        sequence += 1
        let inner = content + [type]
        let header: [UInt8] = [23, 3, 3, UInt8((inner.count + 16) >> 8), UInt8((inner.count + 16) & 0xff)]
        var (sealed, tag) = ([UInt8](repeating: 0, count: inner.count), [UInt8](repeating: 0, count: 16))
        var length: Int32 = 0
        let context = unsafe EVP_CIPHER_CTX_new()
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let isSealed =
            unsafe EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1
            && EVP_EncryptUpdate(context, nil, &length, header, 5) == 1
            && EVP_EncryptUpdate(context, &sealed, &length, inner, Int32(inner.count)) == 1
            && EVP_EncryptFinal_ex(context, nil, &length) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
        #expect(isSealed)
        return header + sealed + tag
    }

    /// A record that says that the records after it have a new key, and asks for a new one of the server's, too.
    mutating func newKey() -> [UInt8] {
        let record = record([UInt8(SSL3_MT_KEY_UPDATE), 0, 0, 1, 1], type: ContentType.handshake)
        secret = expand("traffic upd", count: 32)
        sequence = 0
        return record
    }

    /// `HKDF-Expand-Label` without a context (section 7.1), one block of SHA-256.
    private func expand(_ label: String, count: Int) -> [UInt8] {
        let name = Array("tls13 \(label)".utf8)
        return Array(
            HMAC.sha256(key: secret, message: [0, UInt8(count), UInt8(name.count)] + name + [0, 1]).prefix(count))
    }
}

/// The lines of OpenSSL's key log: a label, the client's random number, a secret.
private final class KeyLog {
    var lines: [String] = []

    func secret(_ label: String) -> [UInt8]? {
        guard let digits = lines.first(where: { $0.hasPrefix(label + " ") })?.split(separator: " ").last else {
            return nil
        }
        return Hexadecimal.decode(Array(digits.utf8)[...])
    }
}
