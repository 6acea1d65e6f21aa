import COpenSSL

/// A private key that signs tokens: of the server towards push services, or of an issuer in a test.
/// - Confinement: any
@safe
package final class SigningKey: Sendable, CustomStringConvertible {
    /// How it signs.
    package let algorithm: SignatureAlgorithm
    /// The other half, to be published.
    package let publicKey: PublicKeyParameters
    /// `EVP_PKEY`; not written to.
    nonisolated(unsafe) private let handle: OpaquePointer

    /// Makes a new key; RSA with 2,048 bits.
    package convenience init(_ algorithm: SignatureAlgorithm) throws(TLSError) {
        let kind =
            switch algorithm {
            case .rs256: "RSA"
            case .es256: "EC"
            case .edDSA: "ED25519"
            }
        ERR_clear_error()
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, kind, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_keygen_init(context) == 1 else { throw .take() }
        if algorithm == .es256, unsafe EVP_PKEY_CTX_set_group_name(context, "prime256v1") != 1 { throw .take() }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key else { throw .take() }
        try unsafe self.init(owning: key)
    }

    /// Reads a key in PEM form.
    /// - Throws: `TLSError` when there is none, when it is encrypted, or when we do not sign with its kind.
    package convenience init(pem text: [UInt8]) throws(TLSError) {
        let key: OpaquePointer
        do {
            unsafe key = try PEM.privateKey(text)
        } catch .key(let error) {
            throw error
        } catch {
            throw TLSError(code: 0)
        }
        try unsafe self.init(owning: key)
    }

    /// Takes over a reference, also when it throws.
    @unsafe
    private init(owning key: OpaquePointer) throws(TLSError) {
        guard let parameters = unsafe SigningKey.parameters(of: key) else {
            unsafe EVP_PKEY_free(key)
            throw .take()
        }
        unsafe handle = unsafe key
        publicKey = parameters
        algorithm = parameters.algorithm
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    /// Signs a message, in the form of JSON Web Signatures.
    package func sign(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
        ERR_clear_error()
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        let digest = unsafe algorithm == .edDSA ? nil : EVP_sha256()
        var size = 0
        guard
            unsafe EVP_DigestSignInit(context, nil, digest, nil, handle) == 1
                && EVP_DigestSign(context, nil, &size, message, message.count) == 1
        else { throw .take() }
        var signature = [UInt8](repeating: 0, count: size)
        guard unsafe EVP_DigestSign(context, &signature, &size, message, message.count) == 1 else { throw .take() }
        signature.removeLast(signature.count - size)
        guard algorithm == .es256 else { return signature }
        guard let form = ECDSASignature(der: signature) else { throw .take() }
        return form.joined
    }

    /// Names the type and shows nothing of the key.
    package var description: String { "SigningKey(\(algorithm.rawValue))" }

    @unsafe
    private static func parameters(of key: OpaquePointer) -> PublicKeyParameters? {
        if unsafe EVP_PKEY_is_a(key, "RSA") == 1 {
            guard let n = unsafe number(OSSL_PKEY_PARAM_RSA_N, of: key),
                let e = unsafe number(OSSL_PKEY_PARAM_RSA_E, of: key)
            else { return nil }
            return .rsa(modulus: n, exponent: e)
        }
        if unsafe EVP_PKEY_is_a(key, "ED25519") == 1 {
            return unsafe octets(of: key, count: 32).map(PublicKeyParameters.ed25519)
        }
        guard unsafe EVP_PKEY_is_a(key, "EC") == 1, unsafe isP256(key), let point = unsafe octets(of: key, count: 65),
            point[0] == 4
        else { return nil }
        return .p256(x: Array(point[1...32]), y: Array(point[33...]))
    }

    @unsafe
    private static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 80)
        var size = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &size) == 1 else { return false }
        return name[..<size].elementsEqual("prime256v1".utf8CString.dropLast())
    }

    @unsafe
    private static func number(_ name: String, of key: OpaquePointer) -> [UInt8]? {
        var value: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, name, &value) == 1, let value = unsafe value else { return nil }
        defer { unsafe BN_free(value) }
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
