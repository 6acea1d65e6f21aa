package import Store
package import Synchronization

/// The counters of webhooks. Relaxed atomics, as in ``Metrics``.
///
/// - Confinement: any
package final class WebhookMetrics: Sendable {
    private let queued = Atomic<Int>(0)
    private let delivered = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    private let dead = Atomic<Int>(0)
    private let endpointsDisabled = Atomic<Int>(0)
    /// As of the last check.
    package let pending = Atomic<Int>(0)
    package let disabled = Atomic<Int>(0)
    /// Milliseconds of answered attempts, from the request to the end of the answer.
    package let answers = Atomic<Int>(0)
    package let answerMilliseconds = Atomic<Int>(0)

    /// Adds the results of a commit.
    package func add(_ tally: WebhookTally) {
        queued.add(tally.queued, ordering: .relaxed)
        delivered.add(tally.delivered, ordering: .relaxed)
        failed.add(tally.failed, ordering: .relaxed)
        dead.add(tally.dead, ordering: .relaxed)
        endpointsDisabled.add(tally.disabled, ordering: .relaxed)
    }

    /// Name, kind, meaning and value of every counter.
    package var all: [(name: String, isCounter: Bool, help: String, value: Int)] {
        [
            ("webhooks_queued_total", true, "Webhooks queued, replays included.", queued.now),
            ("webhooks_delivered_total", true, "Webhooks delivered.", delivered.now),
            ("webhook_failures_total", true, "Attempts to deliver a webhook that failed.", failed.now),
            ("webhooks_dead_total", true, "Webhooks that failed for good and became dead letters.", dead.now),
            (
                "webhook_endpoints_gone_total", true, "Times that an endpoint answered 410 and was disabled.",
                endpointsDisabled.now
            ),
            ("webhooks_pending", false, "Webhooks waiting for delivery.", pending.now),
            ("webhook_endpoints_disabled", false, "Endpoints disabled because they answered 410.", disabled.now),
            ("webhook_answers_total", true, "Webhook requests that got an answer.", answers.now),
            (
                "webhook_answer_milliseconds_total", true,
                "Total time until the answers to webhook requests were complete.",
                answerMilliseconds.now
            ),
        ]
    }
}
