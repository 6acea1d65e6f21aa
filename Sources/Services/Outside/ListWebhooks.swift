package import Execution
package import JSON
import Model
import Store

/// `GET /v1/webhooks`: the endpoints and their states.
///
/// - Confinement: any
package struct ListWebhooks: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext) throws -> Answer {
        let webhooks = context.transaction.webhooks
        var triggers: [String: [String]] = [:]
        for row in try context.transaction.triggers.all() {
            let object = try StoredJSON.object(row, place: "triggers.row")
            guard let url = object["webhook"]?.stringValue, let name = object["name"]?.stringValue else { continue }
            triggers[url, default: []].append(name)
        }
        let used = try webhooks.endpoints().map { endpoint in
            Webhook(
                endpoint: endpoint, pending: try webhooks.countPending(of: endpoint.id),
                next: try webhooks.waiting(for: endpoint.id, limit: 1).first?.due,
                triggers: triggers.removeValue(forKey: endpoint.url) ?? [])
        }
        return Answer(used: used, unused: triggers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// The answer: `webhooks`, each with `url`, `state`, `pending` and `triggers`.
    package struct Answer: UseCaseAnswer {
        fileprivate let used: [Webhook]
        /// The endpoints that have got nothing yet, and their triggers.
        fileprivate let unused: [(url: String, triggers: [String])]

        package func write(to reply: inout JSONWriter) {
            reply.name("webhooks")
            reply.beginArray()
            for webhook in used { webhook.write(to: &reply) }
            for (url, triggers) in unused {
                reply.beginObject()
                reply.member("url", url)
                reply.member("state", "unused")
                reply.member("pending", 0)
                reply.member("triggers", .array(triggers.map { .string($0) }))
                reply.endObject()
            }
            reply.endArray()
        }
    }
}

/// An endpoint that has got webhooks.
///
/// - Confinement: any
private struct Webhook: Sendable {
    let endpoint: WebhookEndpoint
    let pending: Int64
    /// When the next of those that wait is due.
    let next: Timestamp?
    /// The names of the triggers that have it.
    let triggers: [String]

    func write(to reply: inout JSONWriter) {
        reply.beginObject()
        reply.member("id", String(endpoint.id))
        reply.member("url", endpoint.url)
        let state = endpoint.disabledAt != nil ? "disabled" : endpoint.failures > 0 ? "failing" : "ok"
        reply.member("state", state)
        reply.member("pending", pending)
        if let next, endpoint.disabledAt == nil { reply.member("next", next.text) }
        reply.member("failures", endpoint.failures)
        if let time = endpoint.disabledAt { reply.member("disabled", time.text) }
        if let time = endpoint.triedAt { reply.member("at", time.text) }
        if let status = endpoint.status { reply.member("status", status) }
        if let answer = endpoint.answer { reply.member("answer", answer) }
        reply.member("triggers", .array(triggers.map { .string($0) }))
        reply.endObject()
    }
}
