import COpenSSL

/// Makes and reads OpenSSL's keys (`EVP_PKEY`); each type with a key holds one of these handles.
///
/// The caller frees each key that is made here.
/// - Confinement: any
enum KeyHandle {
    /// The bytes of a point of P-256: 4, and two coordinates (SEC 1, section 2.3.3).
    static let pointBytes = 65
    /// The bytes of a private scalar of P-256, big-endian.
    static let scalarBytes = 32
    /// Before and after the scalar in the DER form of a private key of P-256 (RFC 5915, section 3).
    private static let scalarPrefix: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
    private static let scalarSuffix: [UInt8] = [
        0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
    ]

    /// P-256 without a key. To make a key of it costs OpenSSL less than to make it of the curve's name. Not written to; nil
    /// only if OpenSSL does not have the curve.
    nonisolated(unsafe) private static let p256: OpaquePointer? = {
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var parameters: OpaquePointer?
        let isMade =
            unsafe EVP_PKEY_paramgen_init(context) == 1
            && EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1
            && EVP_PKEY_paramgen(context, &parameters) == 1
        return unsafe isMade ? parameters : nil
    }()

    /// Makes a new private key; RSA with 2,048 bits.
    @unsafe
    static func new(_ algorithm: SignatureAlgorithm) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        let context =
            switch algorithm {
            case .rs256: unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
            case .es256: unsafe EVP_PKEY_CTX_new_from_pkey(nil, p256, nil)
            case .edDSA: unsafe EVP_PKEY_CTX_new_from_name(nil, "ED25519", nil)
            }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
        else { throw .take() }
        return unsafe key
    }

    /// Makes a private key of P-256; OpenSSL computes the point.
    /// - Parameter scalar: 1 to the order of the curve less one, in 32 bytes.
    /// - Throws: for any other number; the code is 0 when it has another length.
    @unsafe
    static func privateP256(scalar: [UInt8]) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        guard scalar.count == scalarBytes else { throw TLSError(code: 0) }
        let form = scalarPrefix + scalar + scalarSuffix
        let key = unsafe form.withUnsafeBytes { bytes -> OpaquePointer? in
            var start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe d2i_PrivateKey(EVP_PKEY_EC, nil, &start, bytes.count)
        }
        guard let key = unsafe key else { throw .take() }
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        // Reading it does not compare the number with the order of the curve.
        guard unsafe EVP_PKEY_private_check(context) == 1 else {
            unsafe EVP_PKEY_free(key)
            throw .take()
        }
        return unsafe key
    }

    /// Makes a public key of its numbers, which OpenSSL does not check much further than that a point is on its curve.
    @unsafe
    static func publicKey(_ parameters: PublicKeyParameters) throws(TLSError) -> OpaquePointer {
        switch parameters {
        case .rsa(let modulus, let exponent): return try unsafe publicRSA(modulus: modulus, exponent: exponent)
        case .p256(let x, let y): return try unsafe publicP256(point: [4] + x + y)
        case .ed25519(let bytes):
            ERR_clear_error()
            guard let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
                throw .take()
            }
            return unsafe key
        }
    }

    /// Makes a public key of P-256.
    /// - Parameter point: 65 bytes that begin with 4; OpenSSL itself also takes other forms.
    /// - Throws: for a point that is not on the curve.
    @unsafe
    static func publicP256(point: [UInt8]) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        guard let p256 = unsafe p256, let key = unsafe EVP_PKEY_new() else { throw .take() }
        guard
            unsafe EVP_PKEY_copy_parameters(key, p256) == 1
                && EVP_PKEY_set1_encoded_public_key(key, point, point.count) == 1
        else {
            unsafe EVP_PKEY_free(key)
            throw .take()
        }
        return unsafe key
    }

    @unsafe
    private static func publicRSA(modulus: [UInt8], exponent: [UInt8]) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        let n = unsafe BN_bin2bn(modulus, Int32(modulus.count), nil)
        let e = unsafe BN_bin2bn(exponent, Int32(exponent.count), nil)
        let builder = unsafe OSSL_PARAM_BLD_new()
        defer {
            unsafe OSSL_PARAM_BLD_free(builder)
            unsafe BN_free(n)
            unsafe BN_free(e)
        }
        guard
            unsafe OSSL_PARAM_BLD_push_BN(builder, watchwise_OSSL_PKEY_PARAM_RSA_N, n) == 1
                && OSSL_PARAM_BLD_push_BN(builder, watchwise_OSSL_PKEY_PARAM_RSA_E, e) == 1
        else { throw .take() }
        let parameters = unsafe OSSL_PARAM_BLD_to_param(builder)
        defer { unsafe OSSL_PARAM_free(parameters) }
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        let isMade =
            unsafe EVP_PKEY_fromdata_init(context) == 1
            && EVP_PKEY_fromdata(context, &key, watchwise_EVP_PKEY_PUBLIC_KEY, parameters) == 1
        guard isMade, let key = unsafe key else { throw .take() }
        return unsafe key
    }
}
