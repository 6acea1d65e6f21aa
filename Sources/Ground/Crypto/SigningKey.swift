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
        try unsafe self.init(owning: KeyHandle.new(algorithm))
    }

    /// Makes a key of P-256 from its number (SEC 1, section 3.2.1).
    /// - Parameter scalar: 32 bytes, big-endian.
    /// - Throws: `TLSError` when it has another length, is zero, or is not below the order of the curve.
    package convenience init(scalar: [UInt8]) throws(TLSError) {
        try unsafe self.init(owning: KeyHandle.privateP256(scalar: scalar))
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
        guard let parameters = unsafe KeyHandle.parameters(of: key) else {
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

    /// The number of a key of P-256, to be stored where nobody else can read it: 32 bytes, big-endian.
    /// - Returns: nil for other kinds of keys.
    package var scalar: [UInt8]? {
        algorithm == .es256 ? unsafe KeyHandle.scalar(of: handle) : nil
    }

    /// Names the type and shows nothing of the key.
    package var description: String { "SigningKey(\(algorithm.rawValue))" }
}
