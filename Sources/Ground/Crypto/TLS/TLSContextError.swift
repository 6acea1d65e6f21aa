package import Files

/// Why the given files do not serve for TLS; each sentence names the file and the mistake.
/// - Confinement: any
package enum TLSContextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A file cannot be read.
    case file(PrivateFileError)
    /// The file of the certificate chain holds no certificate, or a damaged one; `number` from 1.
    case certificateInvalid(path: String, number: Int, reason: String)
    /// OpenSSL does not serve with this certificate: its key is too small, its signature too weak.
    case certificateRefused(path: String, reason: String)
    /// The key file holds no private key, or a damaged one.
    case keyInvalid(path: String, reason: String)
    /// The key is encrypted; a server that starts by itself cannot ask for the pass phrase.
    case keyEncrypted(path: String)
    /// Certificate and key belong to different pairs.
    case keyDoesNotMatch(certificatePath: String, keyPath: String)
    /// The file of the certificate authorities cannot be used.
    case authoritiesInvalid(path: String, reason: String)
    /// OpenSSL itself failed.
    case library(TLSError)

    /// A sentence for the operator.
    package var description: String {
        switch self {
        case .file(let error): error.description
        case .certificateInvalid(let path, 1, let reason):
            "\(path) does not begin with a certificate in PEM form: \(reason)"
        case .certificateInvalid(let path, let number, let reason):
            "\(path): certificate \(number) of the chain cannot be read: \(reason)"
        case .certificateRefused(let path, let reason): "\(path): the certificate cannot be used: \(reason)"
        case .keyInvalid(let path, let reason): "\(path) is not a private key in PEM form: \(reason)"
        case .keyEncrypted(let path):
            "\(path) is encrypted: write it without a pass phrase, with openssl pkey -in \(path) -out NEW"
        case .keyDoesNotMatch(let certificatePath, let keyPath):
            "\(keyPath) is not the key of the certificate in \(certificatePath)"
        case .authoritiesInvalid(let path, let reason): "\(path) holds no certificate authorities: \(reason)"
        case .library(let error): "TLS cannot be set up: \(error)"
        }
    }
}
