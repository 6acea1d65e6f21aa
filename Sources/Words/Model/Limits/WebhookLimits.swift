/// The bounds of webhooks and dead letters, each with its reason.
///
/// - Confinement: any
package enum WebhookLimits {
    /// Time after each failed attempt until the next one: the example schedule of Standard Webhooks, about three days
    /// in all. After the last attempt the job becomes a dead letter.
    package static let retryMilliseconds: [Int64] = [
        5_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 5 * 3_600_000, 10 * 3_600_000, 14 * 3_600_000, 20 * 3_600_000,
        24 * 3_600_000,
    ]
    /// By how many per cent chance may lengthen a time of the schedule: receivers that failed together are not asked
    /// again at the same time.
    package static let retryJitterPercent: Int64 = 20
    /// The bounds of Retry-After: up to a day, the longest step of the schedule.
    package static let retryAfterMilliseconds: ClosedRange<Int64> = 1_000...86_400_000
    /// Time for the connection, and for the whole answer: Standard Webhooks recommends 15 to 30 s.
    package static let connectMilliseconds = 5_000
    package static let answerMilliseconds = 20_000
    /// Bytes of an answer's body: only one line of it is shown in a list.
    package static let answerBytesMax = 64 * 1024
    /// Characters of an answer that are kept.
    package static let answerKeptMax = 200
    /// Requests at once, over all endpoints: the connections of the client.
    package static let requestsMax = 64
    /// Requests at once to one endpoint, so that a slow one leaves enough for the others.
    package static let requestsPerEndpointMax = 4
    /// The same for an endpoint whose last attempt failed: it gets a single request.
    package static let requestsPerFailingEndpointMax = 1
    /// Time after which a result that the writer did not accept (full disk) is handed to it again.
    package static let resultRepeatMilliseconds: Int64 = 5_000
    /// Time after which the sender looks for due jobs even without a message.
    package static let lookMilliseconds: Int64 = 60_000
    /// Time between two looks: one look finds the jobs of many commits.
    package static let lookPauseMilliseconds: Int64 = 5
    /// Time after which the sender tries again to read an unreadable secret.
    package static let secretRetryMilliseconds: Int64 = 5_000
    /// Waiting jobs; if there are more, the oldest become dead letters, so that an endpoint that is down does not fill
    /// the disk.
    package static let pendingMax: Int64 = 100_000
    /// Up to this number, waiting jobs are counted at every look, and not just once a second.
    package static let pendingCountedMax: Int64 = 1_000
    /// Uncommitted results after which nothing more is sent: the disk is full.
    package static let resultsMax = 256
    /// Jobs that the writer makes dead letters in one step: a few milliseconds.
    package static let buriedMax = 500
    /// Time for which delivered jobs are kept for a replay, and their largest number.
    package static let deliveredMilliseconds: Int64 = 3 * 86_400_000
    package static let deliveredMax: Int64 = 10_000
    /// Time for which the dead letter of a webhook is kept; that of a trigger is removed with the log.
    package static let deadMilliseconds: Int64 = 30 * 86_400_000
    /// Dead letters that are kept, of both kinds: the newest.
    package static let deadMax: Int64 = 10_000
}
