#if canImport(CryptoKit)
    import CryptoKit
    import Foundation

    /// The cryptography that sealed pushes need, by Apple's CryptoKit. Not compiled on Linux, where the tests run: the steps of
    /// opening a message are those of `SealedMessage`, which the tests run with OpenSSL.
    /// - Confinement: any
    enum PushCipher {
        static func random(_ count: Int) throws -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }

        /// A new private half of P-256: 32 bytes.
        static func newScalar() throws -> [UInt8] { Array(P256.KeyAgreement.PrivateKey().rawRepresentation) }

        static func point(of scalar: [UInt8]) throws -> [UInt8] {
            Array(try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar).publicKey.x963Representation)
        }

        static func secret(of scalar: [UInt8], with point: [UInt8]) throws -> [UInt8] {
            let peer = try P256.KeyAgreement.PublicKey(x963Representation: point)
            let own = try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar)
            return try own.sharedSecretFromKeyAgreement(with: peer).withUnsafeBytes { Array($0) }
        }

        /// HMAC with SHA-256.
        static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
        }

        /// AES-128-GCM; nil when the tag is wrong.
        static func decrypt(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
            guard let box = try? AES.GCM.SealedBox(combined: nonce + sealed),
                let plaintext = try? AES.GCM.open(box, using: SymmetricKey(data: key))
            else { return nil }
            return Array(plaintext)
        }
    }
#endif
