/// The changes of a transaction to webhooks, for the counts and for the sender.
///
/// - Confinement: any
package struct WebhookTally: Sendable, Hashable {
    package var queued = 0
    package var delivered = 0
    /// Attempts that failed, whether or not there will be another.
    package var failed = 0
    package var dead = 0
    package var disabled = 0
    /// Whether the sender has something to look at: jobs to send, or results that are noted now.
    package var isTouched = false

    package init() {}
}
