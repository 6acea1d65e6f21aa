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
        let parameters = try VerificationKey.checked(parameters)
        do throws(TLSError) {
            unsafe handle = try KeyHandle.publicKey(parameters)
        } catch {
            throw .refused(error)
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

    /// The same numbers, without zeros in front, if they are those of an acceptable key.
    private static func checked(_ parameters: PublicKeyParameters) throws(Problem) -> PublicKeyParameters {
        switch parameters {
        case .rsa(let modulus, let exponent):
            // RFC 7518, section 6.3.1.1, forbids zeros in front, but they are common; they change no number.
            let modulus = Array(modulus.drop { $0 == 0 })
            let exponent = Array(exponent.drop { $0 == 0 })
            try check(modulus: modulus, exponent: exponent)
            return .rsa(modulus: modulus, exponent: exponent)
        case .p256(let x, let y):
            for coordinate in [x, y] where coordinate.count != 32 { throw .length(coordinate.count) }
        case .ed25519(let bytes):
            guard bytes.count == 32 else { throw .length(bytes.count) }
        }
        return parameters
    }

    private static func check(modulus: [UInt8], exponent: [UInt8]) throws(Problem) {
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard (2048...8192).contains(bits) else { throw .modulusBits(bits) }
        guard modulus.last.map({ $0 & 1 }) == 1 else { throw .modulusEven }
        guard exponent.count <= 8, exponent.last.map({ $0 & 1 }) == 1, exponent != [1] else { throw .exponentInvalid }
    }
}
