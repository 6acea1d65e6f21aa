#if os(Linux)
    import Crypto

    /// The cryptography that sealed pushes need, by OpenSSL.
    /// - Confinement: any
    enum PushCipher {
        static func random(_ count: Int) throws -> [UInt8] { try SecureRandom.bytes(count) }

        /// A new private half of P-256: 32 bytes.
        static func newScalar() throws -> [UInt8] {
            while true {
                let scalar = try random(32)
                // One of 2^32 numbers is not valid.
                if (try? point(of: scalar)) != nil { return scalar }
            }
        }

        static func point(of scalar: [UInt8]) throws -> [UInt8] { try AgreementKey(scalar: scalar).point }

        static func secret(of scalar: [UInt8], with point: [UInt8]) throws -> [UInt8] {
            // The key of a push is an uncompressed point; OpenSSL would take other forms, too.
            guard point.first == 4 else { throw PushError.notOpened }
            return try AgreementKey(scalar: scalar).secret(with: point)
        }

        /// HMAC with SHA-256.
        static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] { HMAC.sha256(key: key, message: message) }

        /// AES-128-GCM; nil when the tag is wrong.
        static func decrypt(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
            AESGCM.open(sealed, key: key, nonce: nonce)
        }
    }
#endif
