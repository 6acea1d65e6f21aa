import Store

/// What came of attempts and does not show in the database yet. A value: the time of a monotonic clock, in milliseconds,
/// is a parameter.
///
/// - Confinement: any
struct WebhookResults: Sendable {
    /// By job.
    private var unsettled: [Int64: WebhookAttempt] = [:]
    /// Since the last hand-over.
    private var new: [WebhookAttempt] = []
    private var repeatedAt: Int64?

    var count: Int { unsettled.count }
    var isEmpty: Bool { unsettled.isEmpty }

    func holds(_ job: Int64) -> Bool { unsettled[job] != nil }

    mutating func add(_ attempt: WebhookAttempt) {
        unsettled[attempt.job] = attempt
        new.append(attempt)
    }

    /// Forgets what is noted, and what never can be: of a job that somebody set aside, or let go out anew, meanwhile.
    ///
    /// - Parameter triesOfWaiting: of a job that waits; nil for any other.
    mutating func settle(triesOfWaiting: (Int64) throws -> Int64?) rethrows {
        for (job, result) in unsettled where try (triesOfWaiting(job) ?? .max) >= result.number {
            unsettled[job] = nil
        }
    }

    /// What is to be handed to the writer: what is new, and now and then everything, for it may not have been committed.
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
