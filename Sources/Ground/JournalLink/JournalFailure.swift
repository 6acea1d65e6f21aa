/// Why a question to the journal has no answer.
/// - Confinement: any
package enum JournalFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no connection to a server.
    case notConnected
    /// No server of the journal takes the question now: the stream has no leader, or JetStream has none.
    case noLeader
    /// The question was sent, and no answer came in time or the connection ended: nobody knows whether it took effect.
    case noAnswer
    /// The message is larger than the server takes.
    case tooLarge(bytesMax: Int)
    /// JetStream refused, with its `err_code` and its words.
    case refused(code: Int, reason: String)
    /// The answer, or an address in the configuration, has another form.
    case malformed(String)

    /// A phrase for logs.
    package var description: String {
        switch self {
        case .notConnected: "there is no connection to the journal"
        case .noLeader: "the journal has no leader"
        case .noAnswer: "the journal did not answer"
        case .tooLarge(let bytesMax): "the message is longer than \(bytesMax) bytes"
        case .refused(let code, let reason): "the journal refused: \(reason) (\(code))"
        case .malformed(let reason): reason
        }
    }
}
