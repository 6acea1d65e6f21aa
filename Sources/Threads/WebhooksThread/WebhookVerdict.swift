import Configuration
import Model
import Outbound
import Store
import Webhooks

/// Decides what an answer, or a missing one, means for a job. No I/O; time and chance are parameters.
///
/// - Confinement: any
struct WebhookVerdict: Sendable, Hashable {
    let outcome: WebhookAttempt.Outcome
    let status: Int64?
    /// The answer, or why there was none, as one line for lists.
    let answer: String
    /// For how many milliseconds the receiver wants no requests at all.
    let pauseMilliseconds: Int64?
}

extension WebhookVerdict {
    /// - Parameters:
    ///   - attempts: The attempts of this job since it was queued, including this one.
    ///   - isPlain: Whether the request used http without TLS.
    init(
        _ result: Result<OutboundAnswer, OutboundFailure>, attempts: Int64, isPlain: Bool, pace: WebhookPace,
        at now: Timestamp, using random: inout some RandomNumberGenerator
    ) {
        var wanted: Int64?
        switch result {
        case .success(let answer):
            status = Int64(answer.status)
            self.answer = Self.line(answer)
            if answer.status == 429 || answer.status == 503, let text = answer["Retry-After"] {
                wanted = RetryAfter.milliseconds(text, at: now, within: pace.retryAfter)
            }
        case .failure(let failure):
            status = nil
            answer = Self.sentence(failure, isPlain: isPlain)
        }
        pauseMilliseconds = wanted
        switch status {
        case .some(200...299): outcome = .delivered
        case .some(410): outcome = .gone
        default:
            if let pause = pace.pause(afterAttempts: attempts, using: &random) {
                outcome = .retry(at: now.adding(milliseconds: wanted ?? pause))
            } else {
                outcome = .dead(reason: "\(attempts) attempts failed, the last one: \(answer)")
            }
        }
    }

    /// The status and the beginning of the body, without characters that control a terminal.
    private static func line(_ answer: OutboundAnswer) -> String {
        if (300...399).contains(answer.status) { return "\(answer.status), a redirect, which is not followed" }
        let start = String(decoding: answer.body.prefix(4 * WebhookLimits.answerKeptMax), as: UTF8.self)
        let shown = start.unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: " "
            default: Character(scalar)
            }
        }
        let text = String(shown.prefix(WebhookLimits.answerKeptMax)).split(separator: " ").joined(separator: " ")
        return text.isEmpty ? "\(answer.status)" : "\(answer.status) \(text)"
    }

    private static func sentence(_ failure: OutboundFailure, isPlain: Bool) -> String {
        guard case .addressRefused(let address) = failure else { return failure.description }
        return isPlain
            ? "\(address) is not in webhook-allow; plain http goes to no other address (see webhook-plain)"
            : "\(address) is neither a public address nor in webhook-allow"
    }
}
