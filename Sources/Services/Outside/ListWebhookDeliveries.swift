import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `GET /v1/webhooks/deliveries`: jobs of every state, newest first.
///
/// - Confinement: any
package struct ListWebhookDeliveries: ReadUseCase {
    /// The words for the states of a job.
    package static let states = ["pending", "delivered", "dead"]

    let endpoint: String?
    let trigger: String?
    let state: String?
    let before: String?
    let limit: Int

    /// - Parameters:
    ///   - endpoint: the number of an endpoint; nil for all.
    ///   - trigger: the name of a trigger; nil for all.
    ///   - state: one of ``states``; nil for all.
    package init(endpoint: String?, trigger: String?, state: String?, before: String?, limit: Int) {
        self.endpoint = endpoint
        self.trigger = trigger
        self.state = state
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> Answer {
        let before = try Cursor.number(before, field: "before") ?? .max
        let endpoint = try endpoint.map { try Self.number($0) }
        if let state, !Self.states.contains(state) {
            throw Refusal.badRequest(field: "state", "must be one of \(Self.states.joined(separator: ", "))")
        }
        let webhooks = context.transaction.webhooks
        let jobs = try webhooks.list(
            endpoint: endpoint,
            trigger: trigger,
            state: state,
            before: before,
            limit: limit + 1
        )
        let urls = Dictionary(uniqueKeysWithValues: try webhooks.endpoints().map { ($0.id, $0.url) })
        return Answer(page: Page(jobs, limit: limit) { String($0.id) }, urls: urls)
    }

    /// The answer: `deliveries`.
    package struct Answer: UseCaseAnswer {
        let page: Page<WebhookJob>
        /// Of the endpoints, by number.
        let urls: [Int64: String]

        package func write(to reply: inout JSONWriter) {
            reply.array("deliveries") { reply in
                for job in page.entries {
                    ListWebhookDeliveries.write(job, url: urls[job.endpoint] ?? "", to: &reply)
                }
            }
            reply.next(of: page)
        }
    }

    private static func number(_ text: String) throws(Refusal) -> Int64 {
        guard let number = Int64(text), number > 0 else {
            throw Refusal.badRequest(field: "webhook", "must be the number of an endpoint")
        }
        return number
    }

    private static func write(_ job: WebhookJob, url: String, to reply: inout JSONWriter) {
        reply.beginObject()
        reply.member("id", String(job.id))
        reply.member("webhookId", job.name)
        reply.member("webhook", String(job.endpoint))
        reply.member("url", url)
        reply.member("trigger", job.trigger)
        reply.member("path", job.path)
        reply.member("event", job.event)
        reply.member("seq", job.change.value)
        reply.member("time", job.at.text)
        reply.member("state", job.state)
        reply.member("attempts", job.attempts)
        if job.state == "pending" { reply.member("next", job.due.text) }
        if let time = job.triedAt { reply.member("at", time.text) }
        if let status = job.status { reply.member("status", status) }
        if let answer = job.answer { reply.member("answer", answer) }
        reply.endObject()
    }
}
