import EventLoop
import Synchronization

/// Appends to the journal and waits for the outcome: to a writer's thread it is a slow fsync.
///
/// It uses the connection of its ``JournalClient``, whatever that one's loop is doing.
/// - Confinement: any
package final class JournalAppender: Sendable {
    private let subject: String
    /// The open connection; protected by its lock.
    private let connection = Mutex<NATSConnection?>(nil)

    init(subject: String) { self.subject = subject }

    func use(_ connection: NATSConnection?) { self.connection.withLock { $0 = connection } }

    /// Appends an entry if it becomes the successor of `last`, and blocks the thread until that is known.
    /// - Parameters:
    ///   - last: The sequence of the entry before it; 0 for the first entry of the journal.
    ///   - timeoutMilliseconds: After this time the outcome is `unknown`.
    package func append(_ bytes: [UInt8], after last: UInt64, timeoutMilliseconds: Int) -> AppendOutcome {
        guard let connection = connection.withLock({ $0 }) else { return .notConnected }
        do {
            let answer = try connection.request(bytes, to: subject, after: last, milliseconds: timeoutMilliseconds)
            guard let answer, answer.status != 503 else { return .noLeader }
            return AppendOutcome(answer: answer.bytes, bytesMax: connection.payloadBytesMax)
        } catch {
            return error.outcome(payloadBytesMax: connection.payloadBytesMax)
        }
    }
}

extension NATSConnection.Problem {
    /// The outcome of an append that libnats did not carry through.
    func outcome(payloadBytesMax: Int) -> AppendOutcome {
        isTooLarge ? .tooLarge(bytesMax: payloadBytesMax) : .unknown(reason: reason)
    }
}
