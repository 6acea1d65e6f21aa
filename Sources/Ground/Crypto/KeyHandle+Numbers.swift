import COpenSSL

/// The numbers of a key.
extension KeyHandle {
    /// The public half.
    /// - Returns: nil for a kind of key with which we do not sign.
    @unsafe
    static func parameters(of key: OpaquePointer) -> PublicKeyParameters? {
        if unsafe EVP_PKEY_is_a(key, "RSA") == 1 {
            guard let n = unsafe number(OSSL_PKEY_PARAM_RSA_N, of: key),
                let e = unsafe number(OSSL_PKEY_PARAM_RSA_E, of: key)
            else { return nil }
            return .rsa(modulus: n, exponent: e)
        }
        if unsafe EVP_PKEY_is_a(key, "ED25519") == 1 {
            return unsafe octets(of: key, count: 32).map(PublicKeyParameters.ed25519)
        }
        guard unsafe EVP_PKEY_is_a(key, "EC") == 1, unsafe isP256(key), let point = unsafe point(of: key) else {
            return nil
        }
        return .p256(x: Array(point[1...32]), y: Array(point[33...]))
    }

    /// The point of a key of P-256: 65 bytes that begin with 4.
    @unsafe
    static func point(of key: OpaquePointer) -> [UInt8]? {
        guard let point = unsafe octets(of: key, count: pointBytes), point[0] == 4 else { return nil }
        return point
    }

    /// The private scalar of a key of P-256: 32 bytes, big-endian.
    @unsafe
    static func scalar(of key: OpaquePointer) -> [UInt8]? {
        guard let number = unsafe number(OSSL_PKEY_PARAM_PRIV_KEY, of: key) else { return nil }
        return [UInt8](repeating: 0, count: max(0, scalarBytes - number.count)) + number
    }

    @unsafe
    private static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 80)
        var size = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &size) == 1 else { return false }
        return name[..<size].elementsEqual("prime256v1".utf8CString.dropLast())
    }

    /// A number of a key, big-endian without leading zeros.
    @unsafe
    private static func number(_ name: String, of key: OpaquePointer) -> [UInt8]? {
        var value: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, name, &value) == 1, let value = unsafe value else { return nil }
        defer { unsafe BN_clear_free(value) }
        var bytes = [UInt8](repeating: 0, count: Int(unsafe BN_num_bits(value) + 7) / 8)
        unsafe BN_bn2bin(value, &bytes)
        return bytes
    }

    @unsafe
    private static func octets(of key: OpaquePointer, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        var size = 0
        let isThere = unsafe EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &size)
        return isThere == 1 && size == count ? Array(bytes[..<size]) : nil
    }
}
