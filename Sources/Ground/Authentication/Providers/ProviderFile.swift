import Crypto
import Files

/// Why a file with a key that a push provider gave cannot be used; the sentence is for the operator.
/// - Confinement: any
package struct ProviderFileProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, its mistake, and the right form.
    package let description: String
}

/// A file that the operator got from a push provider. Its group may read it, as that of a TLS key.
/// - Confinement: any; blocks on the disk
enum ProviderFile {
    /// Today's files have 250 and 2,400 bytes.
    private static let bytesMax = 65_536

    /// Reads the whole file.
    static func read(_ path: String) throws(ProviderFileProblem) -> (bytes: [UInt8], isOpenToOthers: Bool) {
        do {
            let contents = try ReadableFile(path: path).read(bytesMax: bytesMax)
            return (contents.bytes, contents.mode & 0o007 != 0)
        } catch {
            throw ProviderFileProblem(description: error.description)
        }
    }

    /// Reads a private key.
    /// - Returns: nil when the text has none that signs in this way and needs no pass phrase.
    static func key(pem: [UInt8], _ algorithm: SignatureAlgorithm) -> SigningKey? {
        do throws(TLSError) {
            let key = try SigningKey(pem: pem)
            return key.algorithm == algorithm ? key : nil
        } catch {
            return nil
        }
    }
}
