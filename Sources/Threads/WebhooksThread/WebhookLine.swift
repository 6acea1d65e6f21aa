import Model
import Store
import Webhooks

/// The sender's state of one endpoint that is not in the database: the running requests, and when the next may begin.
///
/// - Confinement: any
struct WebhookLine: Sendable, Hashable {
    /// The jobs whose requests are running.
    private(set) var underWay: Set<Int64> = []
    /// Whether the last attempt failed.
    private(set) var isFailing = false
    /// The time until which the receiver wants no requests.
    private(set) var pausedUntil: Timestamp?

    /// - Parameter isFailing: The state in the database.
    init(isFailing: Bool) { self.isFailing = isFailing }

    /// How many more requests may begin now.
    func free(at now: Timestamp) -> Int {
        if let pausedUntil, now < pausedUntil { return 0 }
        let most =
            isFailing ? WebhookLimits.requestsPerFailingEndpointMax : WebhookLimits.requestsPerEndpointMax
        return max(0, most - underWay.count)
    }

    mutating func begin(_ job: Int64) { underWay.insert(job) }

    /// Notes that the job was not sent after all.
    mutating func giveBack(_ job: Int64) { underWay.remove(job) }

    /// - Returns: true when the endpoint begins to fail, false when it stops failing, nil when nothing changes.
    mutating func end(_ job: Int64, _ verdict: WebhookVerdict, at now: Timestamp) -> Bool? {
        underWay.remove(job)
        if verdict.outcome == .delivered {
            pausedUntil = nil
        } else if let pause = verdict.pauseMilliseconds {
            let until = now.adding(milliseconds: pause)
            pausedUntil = max(pausedUntil ?? until, until)
        }
        let fails = verdict.outcome != .delivered
        defer { isFailing = fails }
        return fails == isFailing ? nil : fails
    }
}
