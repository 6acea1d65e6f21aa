package import Crypto

/// The private key by which Apple's push service knows this server, from the file `AuthKey_….p8` that Apple gave
/// ("Establishing a token-based connection to APNs").
/// - Confinement: any; loading blocks on the disk
package struct APNsKey: Sendable {
    /// Signs with ES256.
    package let key: SigningKey
    /// Whether every user of this machine can read the file.
    package let isOpenToOthers: Bool

    /// Reads the file.
    /// - Throws: when there is no file, or no private key of P-256 in it that needs no pass phrase.
    package init(path: String) throws(ProviderFileProblem) {
        let file = try ProviderFile.read(path)
        guard let key = ProviderFile.key(pem: file.bytes, .es256) else {
            throw ProviderFileProblem(
                description: "\(path) is not a key for APNs: it must be the file AuthKey_….p8 that Apple gave, a "
                    + "private key of P-256 in PEM form (PKCS #8) without a pass phrase")
        }
        self.key = key
        isOpenToOthers = file.isOpenToOthers
    }
}
