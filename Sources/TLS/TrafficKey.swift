import COpenSSL

/// What one direction of a TLS 1.3 connection is protected with: the secret, and the key, the vector and the number of
/// records that follow from it (RFC 8446, sections 5.3 and 7.3).
/// - Confinement: loop
struct TrafficKey {
    /// Where sizes and algorithms come from.
    let suite: TrafficSuite
    /// What the key follows from; ``TrafficSuite/digestBytes`` of it count.
    private var secret: InlineArray<48, UInt8>
    /// ``TrafficSuite/keyBytes`` of it count.
    private(set) var key = InlineArray<32, UInt8>(repeating: 0)
    private var vector = InlineArray<12, UInt8>(repeating: 0)
    /// Records so far.
    private(set) var sequence: UInt64

    /// - Parameters:
    ///   - secret: of the suite's digest's size.
    ///   - sequence: records that were protected with it already.
    init(_ suite: TrafficSuite, secret: [UInt8], sequence: UInt64) {
        self.suite = suite
        self.secret = InlineArray(repeating: 0)
        self.sequence = sequence
        take(secret)
    }

    /// Overwrites what nobody else is to know: the connection is over.
    mutating func forget() {
        unsafe OPENSSL_cleanse(&secret, 48)
        unsafe OPENSSL_cleanse(&key, 32)
        unsafe OPENSSL_cleanse(&vector, 12)
    }

    /// Goes on to the next key, as `KeyUpdate` says (section 7.2).
    mutating func advance() {
        sequence = 0
        var next = expand("traffic upd", count: suite.digestBytes)
        defer { unsafe OPENSSL_cleanse(&next, next.count) }
        take(next)
    }

    private mutating func take(_ newSecret: [UInt8]) {
        for index in newSecret.indices { secret[index] = newSecret[index] }
        var newKey = expand("key", count: suite.keyBytes)
        defer { unsafe OPENSSL_cleanse(&newKey, newKey.count) }
        for index in newKey.indices { key[index] = newKey[index] }
        let newVector = expand("iv", count: 12)
        for index in newVector.indices { vector[index] = newVector[index] }
    }

    /// The nonce of the next record, which is counted.
    mutating func nextNonce() -> InlineArray<12, UInt8> {
        var nonce = vector
        for index in 0..<8 { nonce[4 + index] ^= UInt8(truncatingIfNeeded: sequence >> UInt64(8 * (7 - index))) }
        sequence += 1
        return nonce
    }

    /// `HKDF-Expand-Label` without a context (section 7.1); what is asked for is one block at most.
    private func expand(_ label: StaticString, count: Int) -> [UInt8] {
        precondition(count <= suite.digestBytes, "one block of HKDF")
        var info: [UInt8] = [0, UInt8(count), UInt8(6 + label.utf8CodeUnitCount)]
        info += "tls13 ".utf8
        info += label.description.utf8
        info += [0, 1]
        var secretBytes = (0..<suite.digestBytes).map { secret[$0] }
        defer { unsafe OPENSSL_cleanse(&secretBytes, secretBytes.count) }
        var block = [UInt8](repeating: 0, count: suite.digestBytes)
        defer { unsafe OPENSSL_cleanse(&block, block.count) }
        let result = unsafe COpenSSL.HMAC(
            suite.digest, secretBytes, Int32(secretBytes.count), info, info.count, &block, nil)
        unsafe precondition(result != nil, "OpenSSL cannot compute an HMAC: \(TLSError.take())")
        return Array(block.prefix(count))
    }
}

/// The suites of TLS 1.3 that are spoken here.
/// - Confinement: any
enum TrafficSuite: UInt16, CaseIterable {
    case aes128 = 0x1301
    case aes256 = 0x1302
    case chacha20 = 0x1303

    /// Of the key.
    var keyBytes: Int { self == .aes128 ? 16 : 32 }
    /// Of the digest, and of secrets.
    var digestBytes: Int { self == .aes256 ? 48 : 32 }

    /// OpenSSL's name of the suite.
    var name: String {
        switch self {
        case .aes128: "TLS_AES_128_GCM_SHA256"
        case .aes256: "TLS_AES_256_GCM_SHA384"
        case .chacha20: "TLS_CHACHA20_POLY1305_SHA256"
        }
    }

    /// OpenSSL's name of the cipher.
    var cipherName: String {
        switch self {
        case .aes128: "AES-128-GCM"
        case .aes256: "AES-256-GCM"
        case .chacha20: "ChaCha20-Poly1305"
        }
    }

    @unsafe
    var digest: OpaquePointer? { unsafe self == .aes256 ? EVP_sha384() : EVP_sha256() }
}
