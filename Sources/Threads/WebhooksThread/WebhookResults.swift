import Store
import ThreadMessages
import Webhooks

/// Results of attempts that the database does not show yet. A pure value: the time, in milliseconds of a monotonic
/// clock, is a parameter.
///
/// - Confinement: any
struct WebhookResults: Sendable {
    /// By job.
    private var unsettled: [Int64: WebhookAttempt] = [:]
    private var handOver = HandOver<WebhookAttempt>()

    var count: Int { unsettled.count }
    var isEmpty: Bool { unsettled.isEmpty }

    func holds(_ job: Int64) -> Bool { unsettled[job] != nil }

    mutating func add(_ attempt: WebhookAttempt) {
        unsettled[attempt.job] = attempt
        handOver.add(attempt)
    }

    /// Forgets results that the database shows now, and results that it will never show, because an operator meanwhile
    /// set the job aside or released it again.
    ///
    /// - Parameter triesOfWaiting: The tries of a job that waits in the database; nil for other jobs.
    mutating func settle(triesOfWaiting: (Int64) throws -> Int64?) rethrows {
        for (job, result) in unsettled where try (triesOfWaiting(job) ?? .max) >= result.number {
            unsettled[job] = nil
        }
    }

    /// The results to hand to the writer.
    mutating func due(at now: Int64, repeatMilliseconds: Int64) -> [WebhookAttempt] {
        handOver.due(of: unsettled.values, at: now, repeatMilliseconds: repeatMilliseconds)
    }
}
