import COpenSSL

/// A key pair of P-256 that agrees with a peer's on a secret (ECDH; NIST SP 800-56A, section 5.7.1.2).
/// - Confinement: any
@safe
package struct AgreementKey: ~Copyable {
    /// The public half, for the peer: 65 bytes that begin with 4.
    package let point: [UInt8]
    /// `EVP_PKEY`.
    private let handle: OpaquePointer

    /// Makes a new pair.
    init() throws(TLSError) {
        try unsafe self.init(owning: KeyHandle.new(.es256))
    }

    /// Makes the pair of a known private half: 32 bytes, big-endian.
    /// - Throws: for a number that is not a private half of P-256, as one of 2^32 random numbers.
    package init(scalar: [UInt8]) throws(TLSError) {
        try unsafe self.init(owning: KeyHandle.privateP256(scalar: scalar))
    }

    /// Takes over a reference, also when it throws.
    @unsafe
    private init(owning key: OpaquePointer) throws(TLSError) {
        guard let point = unsafe KeyHandle.point(of: key) else {
            unsafe EVP_PKEY_free(key)
            throw .take()
        }
        self.point = point
        unsafe handle = unsafe key
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    /// The secret that only the owners of the two private halves can compute.
    /// - Parameter peer: The peer's point: 65 bytes that begin with 4.
    /// - Returns: 32 bytes.
    /// - Throws: when the point is not on the curve.
    package func secret(with peer: [UInt8]) throws(TLSError) -> [UInt8] {
        let peer = try unsafe KeyHandle.publicP256(point: peer)
        defer { unsafe EVP_PKEY_free(peer) }
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var size = secret.count
        // The zero: OpenSSL need not check the point once more, which takes as long as the agreement itself. The point is on
        // the curve, and since the order of P-256 is a prime number, it cannot be in a small group.
        guard
            unsafe EVP_PKEY_derive_init(context) == 1
                && EVP_PKEY_derive_set_peer_ex(context, peer, 0) == 1
                && EVP_PKEY_derive(context, &secret, &size) == 1,
            size == secret.count
        else { throw .take() }
        return secret
    }
}
