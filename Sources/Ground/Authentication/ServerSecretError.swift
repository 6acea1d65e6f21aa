/// Why a server has no secret; the sentence ends the start.
/// - Confinement: any
package enum ServerSecretError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file cannot be read or written, or others can read it.
    case file(String)
    /// The file is not 64 hexadecimal digits.
    case malformed(path: String)
    /// The system gave no random bytes.
    case noRandomness(reason: String)

    /// A sentence for the operator.
    package var description: String {
        switch self {
        case .file(let sentence): sentence
        case .malformed(let path):
            "\(path) is not a secret: 64 hexadecimal digits are expected, or two lines of them; restore it, or remove it to void all tokens"
        case .noRandomness(let reason): "the system gave no random bytes for a secret: \(reason)"
        }
    }
}
