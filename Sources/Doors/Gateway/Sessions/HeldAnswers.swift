import ClientProtocol
import DequeModule
import Model
import ThreadMessages

/// Answers that a session owes while it reads on from the log: they come after the events with smaller positions.
///
/// There are at most as many as commands may be under way; their bytes count among those that the session holds.
///
/// - Confinement: loop
final class HeldAnswers {
    /// The outcome of a write.
    struct Answer {
        let id: RequestID?
        let outcome: Outcome
        /// The position of the log after the write.
        let position: Position
    }

    /// In the order of positions.
    private var answers: Deque<Answer> = []
    private(set) var bytes = 0
    /// Requests that renewed the token: they are answered with the counts, once these are known.
    private var renewals: [RequestID] = []

    var isEmpty: Bool { answers.isEmpty }

    /// Keeps the outcome of a write.
    func append(_ answer: Answer) {
        answers.append(answer)
        bytes += answer.outcome.bodyBytes
    }

    /// Takes out the next one that comes before an event.
    ///
    /// - Parameter position: of the event.
    func takeFirst(before position: Position) -> Answer? {
        guard let first = answers.first, first.position < position else { return nil }
        bytes -= first.outcome.bodyBytes
        return answers.removeFirst()
    }

    /// Keeps a `hello` that renewed the token.
    ///
    /// - Returns: false when as many as commands may be under way wait already.
    func appendRenewal(_ id: RequestID) -> Bool {
        guard renewals.count < Limits.commandsInFlightMax else { return false }
        renewals.append(id)
        return true
    }

    /// Takes out the requests that renewed the token.
    func takeRenewals() -> [RequestID] {
        defer { renewals = [] }
        return renewals
    }
}

@available(*, unavailable)
extension HeldAnswers: Sendable {}
