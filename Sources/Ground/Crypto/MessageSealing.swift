/// Encrypts messages so that only one device can read them, not the push services between: Message Encryption for Web
/// Push (RFC 8291), the content coding `aes128gcm` (RFC 8188) in one record.
/// - Confinement: any
package enum MessageSealing {
    /// The bytes of a plaintext that become a body of 4,096 bytes, the most that a push service must take (RFC 8030,
    /// section 7.2).
    package static let plaintextBytesMax = 4096 - overheadBytes
    /// The bytes by which a body is longer than its plaintext.
    package static let overheadBytes = headerBytes + delimiter.count + AESGCM.tagBytes

    private static let saltBytes = 16
    /// Salt, record size, the length of the key, and the key (RFC 8188, section 2.1; RFC 8291, section 4).
    private static let headerBytes = saltBytes + recordSize.count + 1 + KeyHandle.pointBytes
    /// 4096 in four bytes: larger than the one record is (RFC 8291, section 4).
    private static let recordSize: [UInt8] = [0, 0, 0x10, 0]
    /// Ends the plaintext of the last record, without padding (RFC 8188, section 2).
    private static let delimiter: [UInt8] = [2]

    /// Encrypts a message, with a key and a salt that are used only for it.
    ///
    /// Two calls with the same plaintext give bodies that have nothing in common.
    /// - Parameter plaintext: At most `plaintextBytesMax` bytes; more is a mistake of the program, which ends.
    /// - Returns: the body of the request to the push service, `overheadBytes` longer.
    /// - Throws: `TLSError` when the system gives no random bytes.
    package static func seal(_ plaintext: [UInt8], for device: DeviceKeys) throws(TLSError) -> [UInt8] {
        try seal(plaintext, for: device, with: AgreementKey(), salt: SecureRandom.bytes(saltBytes))
    }

    /// The same with a known key and salt (RFC 8291, section 3.4).
    /// - Parameter salt: 16 bytes.
    static func seal(
        _ plaintext: [UInt8],
        for device: DeviceKeys,
        with own: borrowing AgreementKey,
        salt: [UInt8]
    ) throws(TLSError) -> [UInt8] {
        precondition(plaintext.count <= plaintextBytesMax, "a sealed message has at most \(plaintextBytesMax) bytes")
        precondition(salt.count == saltBytes, "a salt has \(saltBytes) bytes")
        let shared = HKDF(salt: device.secret, secret: try own.secret(with: device.point))
        let secret = shared.key(for: info("WebPush: info") + device.point + own.point, count: 32)
        let keys = HKDF(salt: salt, secret: secret)
        let record = try AESGCM.seal(
            plaintext + delimiter,
            key: keys.key(for: info("Content-Encoding: aes128gcm"), count: 16),
            nonce: keys.key(for: info("Content-Encoding: nonce"), count: 12)
        )
        return salt + recordSize + [UInt8(own.point.count)] + own.point + record
    }

    /// The purpose of a derived key, with the zero byte that ends its name.
    private static func info(_ name: String) -> [UInt8] { Array(name.utf8) + [0] }
}
