import Store
import Synchronization

/// What is counted of webhooks. Relaxed atomics, as in ``Metrics``.
///
/// - Confinement: any
final class WebhookMetrics: Sendable {
    private let queued = Atomic<Int>(0)
    private let delivered = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    private let dead = Atomic<Int>(0)
    private let endpointsDisabled = Atomic<Int>(0)
    /// As of the last look.
    let pending = Atomic<Int>(0)
    let disabled = Atomic<Int>(0)
    /// Of attempts that were answered, from the request to the end of the answer.
    let answers = Atomic<Int>(0)
    let answerMilliseconds = Atomic<Int>(0)

    /// Adds what a commit did.
    func add(_ tally: WebhookTally) {
        queued.add(tally.queued, ordering: .relaxed)
        delivered.add(tally.delivered, ordering: .relaxed)
        failed.add(tally.failed, ordering: .relaxed)
        dead.add(tally.dead, ordering: .relaxed)
        endpointsDisabled.add(tally.disabled, ordering: .relaxed)
    }

    /// Name, kind, meaning and value of everything counted.
    var all: [(name: String, isCounter: Bool, help: String, value: Int)] {
        [
            ("webhooks_queued_total", true, "Webhooks queued, replays included.", queued.load(ordering: .relaxed)),
            ("webhooks_delivered_total", true, "Webhooks delivered.", delivered.load(ordering: .relaxed)),
            (
                "webhook_failures_total", true, "Attempts to deliver a webhook that failed.",
                failed.load(ordering: .relaxed)
            ),
            ("webhooks_dead_total", true, "Webhooks that gave up: dead letters.", dead.load(ordering: .relaxed)),
            (
                "webhook_endpoints_gone_total", true, "Times an endpoint answered 410 and was disabled.",
                endpointsDisabled.load(ordering: .relaxed)
            ),
            ("webhooks_pending", false, "Webhooks that wait to be delivered.", pending.load(ordering: .relaxed)),
            (
                "webhook_endpoints_disabled", false, "Endpoints that are disabled, since they answered 410.",
                disabled.load(ordering: .relaxed)
            ),
            ("webhook_answers_total", true, "Attempts that were answered.", answers.load(ordering: .relaxed)),
            (
                "webhook_answer_milliseconds_total", true, "Time until those answers were whole.",
                answerMilliseconds.load(ordering: .relaxed)
            ),
        ]
    }
}
