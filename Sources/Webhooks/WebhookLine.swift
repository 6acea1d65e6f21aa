import Model
import Store

/// What the sender knows of one endpoint beside the database: what is under way to it, and when it may be asked again.
///
/// - Confinement: any
struct WebhookLine: Sendable, Hashable {
    /// Jobs under way.
    private(set) var underWay: Set<Int64> = []
    /// Whether the last attempt failed.
    private(set) var isFailing = false
    /// Until when the receiver wants to be left alone.
    private(set) var pausedUntil: Timestamp?

    /// - Parameter isFailing: as the database remembers it.
    init(isFailing: Bool) { self.isFailing = isFailing }

    /// How many more may be sent to it now.
    func free(at now: Timestamp) -> Int {
        if let pausedUntil, now < pausedUntil { return 0 }
        let most =
            isFailing ? WebhookLimits.requestsPerFailingEndpointMax : WebhookLimits.requestsPerEndpointMax
        return max(0, most - underWay.count)
    }

    mutating func begin(_ job: Int64) { underWay.insert(job) }

    /// It was not sent after all.
    mutating func giveBack(_ job: Int64) { underWay.remove(job) }

    /// - Returns: true when it failed and had not before, false when it did not and had; nil when it is as it was.
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
