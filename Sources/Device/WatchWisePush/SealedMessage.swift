/// A message that was encrypted to one device: Message Encryption for Web Push (RFC 8291), the content coding `aes128gcm`
/// (RFC 8188) in one record.
/// - Confinement: any
struct SealedMessage {
    private static let saltBytes = 16
    private static let pointBytes = 65
    /// Salt, record size, the length of the key, and the key (RFC 8188, section 2.1; RFC 8291, section 4).
    private static let headerBytes = saltBytes + 4 + 1 + pointBytes
    /// Delimiter and tag: a record that holds nothing else (RFC 8188, section 2).
    private static let recordBytesMin = 17

    private let salt: [UInt8]
    private let point: [UInt8]
    private let record: [UInt8]

    /// - Returns: nil when the bytes have another form.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerBytes + Self.recordBytesMin else { return nil }
        let size = bytes[16..<20].reduce(0) { $0 << 8 | Int($1) }
        guard bytes[20] == UInt8(Self.pointBytes), bytes.count - Self.headerBytes <= size else { return nil }
        salt = Array(bytes.prefix(Self.saltBytes))
        point = Array(bytes[21..<Self.headerBytes])
        record = Array(bytes.dropFirst(Self.headerBytes))
    }

    /// The plaintext.
    /// - Returns: nil when it was sealed to other keys, or was changed.
    func opened(with keys: PushKeys) -> [UInt8]? {
        guard let agreed = try? PushCipher.secret(of: keys.scalar, with: point) else { return nil }
        let secret = derived(agreed, keys.secret, info("WebPush: info") + keys.point + point, count: 32)
        let padded = PushCipher.decrypt(
            record,
            key: derived(secret, salt, info("Content-Encoding: aes128gcm"), count: 16),
            nonce: derived(secret, salt, info("Content-Encoding: nonce"), count: 12))
        // Zeros may follow the 2 that ends the last record (RFC 8188, section 2).
        guard let padded, let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 2 else { return nil }
        return Array(padded[..<end])
    }

    /// One step of HKDF with SHA-256 (RFC 5869).
    private func derived(_ secret: [UInt8], _ salt: [UInt8], _ info: [UInt8], count: Int) -> [UInt8] {
        Array(PushCipher.hmac(info + [1], key: PushCipher.hmac(secret, key: salt)).prefix(count))
    }

    private func info(_ name: String) -> [UInt8] { Array(name.utf8) + [0] }
}
