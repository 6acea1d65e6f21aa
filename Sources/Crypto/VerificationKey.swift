import COpenSSL

/// A public key that checks signatures. It knows its one algorithm; a signature cannot choose another.
/// - Confinement: any
@safe
package final class VerificationKey: Sendable {
    /// Why some numbers are not an accepted key.
    /// - Confinement: any
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// RSA below 2,048 bits can be broken; above 8,192 a check costs too much.
        case modulusBits(Int)
        /// An even modulus is not the product of two large primes.
        case modulusEven
        /// An exponent of 1 makes every signature good; one of over 64 bits costs too much.
        case exponentInvalid
        /// A coordinate or a key of the wrong length, in bytes.
        case length(Int)
        /// OpenSSL refuses it, for example a point that is not on the curve.
        case refused(TLSError)

        /// A sentence for the operator.
        package var description: String {
            switch self {
            case .modulusBits(let bits): "its modulus has \(bits) bits, 2048 to 8192 are accepted"
            case .modulusEven: "its modulus is even"
            case .exponentInvalid: "its exponent is not an odd number from 3 to 2^64 - 1"
            case .length(let count): "it has \(count) bytes instead of 32"
            case .refused(let error): "it is not a key: \(error.reason)"
            }
        }
    }

    /// How signatures of this key are made.
    package let algorithm: SignatureAlgorithm
    /// `EVP_PKEY`; not written to.
    nonisolated(unsafe) private let handle: OpaquePointer

    /// Makes a key of its numbers.
    package init(_ parameters: PublicKeyParameters) throws(Problem) {
        algorithm = parameters.algorithm
        ERR_clear_error()
        switch parameters {
        case .rsa(let modulus, let exponent):
            // RFC 7518, section 6.3.1.1, forbids zeros in front, but they are common; they change no number.
            let modulus = Array(modulus.drop { $0 == 0 })
            let exponent = Array(exponent.drop { $0 == 0 })
            try VerificationKey.check(modulus: modulus, exponent: exponent)
            let n = unsafe BN_bin2bn(modulus, Int32(modulus.count), nil)
            let e = unsafe BN_bin2bn(exponent, Int32(exponent.count), nil)
            defer {
                unsafe BN_free(n)
                unsafe BN_free(e)
            }
            unsafe handle = try VerificationKey.make("RSA") { builder in
                unsafe OSSL_PARAM_BLD_push_BN(builder, watchwise_OSSL_PKEY_PARAM_RSA_N, n) == 1
                    && OSSL_PARAM_BLD_push_BN(builder, watchwise_OSSL_PKEY_PARAM_RSA_E, e) == 1
            }
        case .p256(let x, let y):
            for coordinate in [x, y] where coordinate.count != 32 { throw .length(coordinate.count) }
            unsafe handle = try VerificationKey.makePoint([4] + x + y)
        case .ed25519(let bytes):
            guard bytes.count == 32 else { throw .length(bytes.count) }
            guard let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, 32) else {
                throw .refused(.take())
            }
            unsafe handle = unsafe key
        }
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    /// Whether a signature, in the form of JSON Web Signatures, is this key's under a message.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch algorithm {
        case .rs256: return check(signature, message, hashed: true)
        case .edDSA: return signature.count == 64 && check(signature, message, hashed: false)
        case .es256:
            guard let form = ECDSASignature(joined: signature) else { return false }
            return check(form.der, message, hashed: true)
        }
    }

    private func check(_ signature: [UInt8], _ message: [UInt8], hashed: Bool) -> Bool {
        ERR_clear_error()
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        let isGood =
            unsafe EVP_DigestVerifyInit(context, nil, hashed ? EVP_sha256() : nil, nil, handle) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        ERR_clear_error()
        return isGood
    }

    private static func check(modulus: [UInt8], exponent: [UInt8]) throws(Problem) {
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard (2048...8192).contains(bits) else { throw .modulusBits(bits) }
        guard modulus.last.map({ $0 & 1 }) == 1 else { throw .modulusEven }
        guard exponent.count <= 8, exponent.last.map({ $0 & 1 }) == 1, exponent != [1] else { throw .exponentInvalid }
    }

    /// Makes a key of P-256 from a point in uncompressed form.
    @unsafe
    private static func makePoint(_ point: [UInt8]) throws(Problem) -> OpaquePointer {
        var result: Result<OpaquePointer, Problem> = unsafe .failure(.length(point.count))
        // The builder keeps the pointer until it has made the parameters.
        unsafe point.withUnsafeBytes { point in
            unsafe result = Result { () throws(Problem) in
                try unsafe make("EC") { builder in
                    unsafe OSSL_PARAM_BLD_push_utf8_string(
                        builder,
                        watchwise_OSSL_PKEY_PARAM_GROUP_NAME,
                        watchwise_P256,
                        0
                    ) == 1
                        && OSSL_PARAM_BLD_push_octet_string(
                            builder,
                            watchwise_OSSL_PKEY_PARAM_PUB_KEY,
                            point.baseAddress,
                            point.count
                        ) == 1
                }
            }
        }
        return try unsafe result.get()
    }

    /// Makes a key by OpenSSL's parameters.
    @unsafe
    private static func make(
        _ kind: String,
        _ fill: (OpaquePointer?) -> Bool
    ) throws(Problem) -> OpaquePointer {
        let builder = unsafe OSSL_PARAM_BLD_new()
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        guard unsafe fill(builder) else { throw .refused(.take()) }
        let parameters = unsafe OSSL_PARAM_BLD_to_param(builder)
        defer { unsafe OSSL_PARAM_free(parameters) }
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, kind, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        let isMade =
            unsafe EVP_PKEY_fromdata_init(context) == 1
            && EVP_PKEY_fromdata(context, &key, watchwise_EVP_PKEY_PUBLIC_KEY, parameters) == 1
        guard isMade, let key = unsafe key else { throw .refused(.take()) }
        return unsafe key
    }
}
