/// The bounds of webhooks and dead letters, each with its reason.
///
/// - Confinement: any
package enum WebhookLimits {
    /// Time after each failed attempt until the next one: the schedule that Standard Webhooks gives as its example, about
    /// three days in all. After the last the job is among the dead.
    package static let retryMilliseconds: [Int64] = [
        5_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 5 * 3_600_000, 10 * 3_600_000, 14 * 3_600_000, 20 * 3_600_000,
        24 * 3_600_000,
    ]
    /// By how many hundredths a time of the schedule is made longer at most, by chance: receivers that failed together
    /// are not asked together again.
    package static let retryJitterPercent: Int64 = 20
    /// What a receiver may ask for with Retry-After: a day, as the schedule's longest step.
    package static let retryAfterMilliseconds: ClosedRange<Int64> = 1_000...86_400_000
    /// Time for the connection, and for the whole answer: Standard Webhooks asks for 15 to 30 s.
    package static let connectMilliseconds = 5_000
    package static let answerMilliseconds = 20_000
    /// Bytes of an answer's body: nobody reads it but for a line in a list.
    package static let answerBytesMax = 64 * 1024
    /// Characters kept of what was answered.
    package static let answerKeptMax = 200
    /// Requests at once, over all endpoints: the connections of the client.
    package static let requestsMax = 64
    /// Requests at once to one endpoint, so that a slow one does not take what others need.
    package static let requestsPerEndpointMax = 4
    /// The same for one whose last attempt failed: it is asked again by one request.
    package static let requestsPerFailingEndpointMax = 1
    /// Time after which a result that the writer did not take (a full disk) is handed to it again.
    package static let resultRepeatMilliseconds: Int64 = 5_000
    /// Time after which due jobs are looked for though nobody said that there are any.
    package static let lookMilliseconds: Int64 = 60_000
    /// Time between two looks: what many commits queue in it is found at once.
    package static let lookPauseMilliseconds: Int64 = 5
    /// Time after which a secret that cannot be read is looked for again.
    package static let secretRetryMilliseconds: Int64 = 5_000
    /// Jobs that wait: with more, the oldest go to the dead, so that an endpoint that is down does not fill the disk.
    package static let pendingMax: Int64 = 100_000
    /// Jobs that wait up to which they are counted at every look, and not just once a second.
    package static let pendingCountedMax: Int64 = 1_000
    /// Results that the writer has not committed, from which on nothing more is sent: a disk that is full.
    package static let resultsMax = 256
    /// Jobs moved to the dead in one step of the writer: some milliseconds.
    package static let buriedMax = 500
    /// Time for which delivered jobs are kept to be replayed, and how many at most.
    package static let deliveredMilliseconds: Int64 = 3 * 86_400_000
    package static let deliveredMax: Int64 = 10_000
    /// Time for which the dead letter of a webhook is kept; that of a trigger goes with the log.
    package static let deadMilliseconds: Int64 = 30 * 86_400_000
    /// Dead letters that are kept, of both kinds: the newest.
    package static let deadMax: Int64 = 10_000
    /// Secrets that sign: the one in force and the one before.
    package static let secretsMax = 2
}
