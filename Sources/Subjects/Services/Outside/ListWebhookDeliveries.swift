import ClientProtocol
package import Execution
package import JSON
import Model
import Store
import Webhooks

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

    package func perform(in context: ReadContext) throws -> JSONObject {
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
        return JSONObject("deliveries", Page(jobs, limit: limit) { String($0.id) }) { job in
            .object(Self.json(job, url: urls[job.endpoint] ?? ""))
        }
    }

    private static func number(_ text: String) throws(Refusal) -> Int64 {
        guard text.utf8.count <= 18, let number = Int64(text), number > 0 else {
            throw Refusal.badRequest(field: "webhook", "must be the number of an endpoint")
        }
        return number
    }

    private static func json(_ job: WebhookJob, url: String) -> JSONObject {
        var object: JSONObject = [
            "id": .string(String(job.id)), "webhookId": .string(job.name), "webhook": .string(String(job.endpoint)),
            "url": .string(url), "trigger": .string(job.trigger), "path": .string(job.path),
            "event": .string(job.event), "seq": .integer(job.change.value), "time": .string(job.at.text),
            "state": .string(job.state), "attempts": .integer(job.attempts),
        ]
        if job.state == "pending" { object["next"] = .string(job.due.text) }
        object["at"] = job.triedAt.map { .string($0.text) }
        object["status"] = job.status.map { .integer($0) }
        object["answer"] = job.answer.map { .string($0) }
        return object
    }
}
