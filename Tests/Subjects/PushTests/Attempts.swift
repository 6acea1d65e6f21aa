import Model
import TestSupport
@testable import Push

/// The attempts and answers of the tables.
enum Attempts {
    static let now = Samples.now
    static let ends = now.adding(milliseconds: 86_400_000)

    /// The first request, with a token of two minutes.
    static func attempt(
        number: Int = 1, tokenSeconds: Int64 = 120, variant: PushVariant = .usual, ends: Timestamp = ends,
        problem: DeviceProblem? = nil, at now: Timestamp = now
    ) -> PushAttempt {
        PushAttempt(
            number: number, now: now, ends: ends, tokenMade: now.adding(milliseconds: -tokenSeconds * 1000),
            registered: now.adding(milliseconds: -3_600_000), variant: variant, problem: problem)
    }

    static func answer(_ status: Int, _ body: String = "", retryAfter: String? = nil) -> PushAnswer {
        .answered(PushResponse(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
    }

    static func later(_ seconds: Int64) -> Timestamp { now.adding(milliseconds: seconds * 1000) }

    /// Whether a push is sent again after the pause of the page, or up to a fifth later.
    static func isAgain(_ outcome: PushVerdict.Outcome, after seconds: Int64, as variant: PushVariant = .usual) -> Bool
    {
        guard case .again(let time, let next) = outcome, next == variant else { return false }
        return (seconds * 1000...seconds * 1200).contains(time.milliseconds - now.milliseconds)
    }
}
