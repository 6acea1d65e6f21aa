package import Model

/// The counters of webhooks. Relaxed atomics, as in ``Metrics``.
///
/// - Confinement: any
package final class WebhookMetrics: Sendable {
    private let queued = Metric(counter: "webhooks_queued_total", "Webhooks queued, replays included.")
    private let delivered = Metric(counter: "webhooks_delivered_total", "Webhooks delivered.")
    private let failed = Metric(counter: "webhook_failures_total", "Attempts to deliver a webhook that failed.")
    private let dead = Metric(counter: "webhooks_dead_total", "Webhooks that failed for good and became dead letters.")
    private let endpointsDisabled = Metric(
        counter: "webhook_endpoints_gone_total", "Times that an endpoint answered 410 and was disabled.")
    /// As of the last check.
    package let pending = Metric(gauge: "webhooks_pending", "Webhooks waiting for delivery.")
    package let disabled = Metric(gauge: "webhook_endpoints_disabled", "Endpoints disabled because they answered 410.")
    /// Milliseconds of answered attempts, from the request to the end of the answer.
    package let answers = Metric(counter: "webhook_answers_total", "Webhook requests that got an answer.")
    package let answerMilliseconds = Metric(
        counter: "webhook_answer_milliseconds_total", "Total time until the answers to webhook requests were complete.")

    /// Adds the results of a commit.
    package func add(_ tally: WebhookTally) {
        queued.add(tally.queued)
        delivered.add(tally.delivered)
        failed.add(tally.failed)
        dead.add(tally.dead)
        endpointsDisabled.add(tally.disabled)
    }

    /// The rows of all, in the order in which they are shown.
    package var all: [Metric.Row] {
        [
            queued.row, delivered.row, failed.row, dead.row, endpointsDisabled.row, pending.row, disabled.row,
            answers.row, answerMilliseconds.row,
        ]
    }
}
