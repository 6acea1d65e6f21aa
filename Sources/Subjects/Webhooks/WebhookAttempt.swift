package import Model

/// An event before it is queued.
///
/// - Confinement: any
package struct WebhookDraft: Sendable, Hashable {
    package let trigger: String
    package let change: Position
    package let url: String
    package let path: String
    package let event: String
    package let chain: String
    /// JSON of an object.
    package let data: String

    package init(
        trigger: String,
        change: Position,
        url: String,
        path: String,
        event: String,
        chain: String,
        data: String
    ) {
        self.trigger = trigger
        self.change = change
        self.url = url
        self.path = path
        self.event = event
        self.chain = chain
        self.data = data
    }
}

/// The result of one attempt to deliver a job.
///
/// - Confinement: any
package struct WebhookAttempt: Sendable, Hashable {
    /// The state of the job after the attempt.
    package enum Outcome: Sendable, Hashable {
        case delivered
        case retry(at: Timestamp)
        /// It was the last attempt.
        case dead(reason: String)
        /// The endpoint wants nothing any more.
        case gone
    }

    package let job: Int64
    /// Of the attempt: one more than the job's `tries` when it began.
    package let number: Int64
    package let at: Timestamp
    /// Nil when there was no answer.
    package let status: Int64?
    package let answer: String
    package let outcome: Outcome

    package init(job: Int64, number: Int64, at: Timestamp, status: Int64?, answer: String, outcome: Outcome) {
        self.job = job
        self.number = number
        self.at = at
        self.status = status
        self.answer = answer
        self.outcome = outcome
    }
}
