import Store

/// Results of attempts that the database does not show yet. A pure value: the time, in milliseconds of a monotonic
/// clock, is a parameter.
///
/// - Confinement: any
struct WebhookResults: Sendable {
    /// By job.
    private var unsettled: [Int64: WebhookAttempt] = [:]
    /// Results since the last hand-over.
    private var new: [WebhookAttempt] = []
    private var repeatedAt: Int64?

    var count: Int { unsettled.count }
    var isEmpty: Bool { unsettled.isEmpty }

    func holds(_ job: Int64) -> Bool { unsettled[job] != nil }

    mutating func add(_ attempt: WebhookAttempt) {
        unsettled[attempt.job] = attempt
        new.append(attempt)
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

    /// The results to hand to the writer: the new ones, and from time to time all of them, since the writer may have
    /// failed to commit some.
    mutating func due(at now: Int64, repeatMilliseconds: Int64) -> [WebhookAttempt] {
        defer { new = [] }
        guard now - (repeatedAt ?? now) >= repeatMilliseconds else {
            repeatedAt = repeatedAt ?? now
            return new
        }
        repeatedAt = now
        return Array(unsettled.values)
    }
}
