import JSON
import Model

/// The longest message that the server takes.
/// - Confinement: any
struct MessageBound: Sendable {
    var bytesMax = Int64(Limits.messageBytesMax)
    /// The bytes that a message may have besides the command as it was written: `id`, `ifVersion`, a longer key.
    private static let frameBytes = 64

    /// Whether a command of this size is longer than what the server takes.
    func isExceeded(by size: Int) -> Bool { Int64(size + Self.frameBytes) > bytesMax }

    /// The error of a command of this size, in the form of the contract.
    func error(_ size: Int, isClosed: Bool = false) -> JSONValue {
        let reason =
            isClosed
            ? "the server has ended the connection because of its size" : "the server takes at most \(bytesMax)"
        let message = "the command has up to \(size + Self.frameBytes) bytes as it is sent; \(reason)"
        return ["code": "too-large", "class": "permanent", "message": .string(message)]
    }
}
