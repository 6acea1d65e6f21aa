package import JSON
import Model
import Store

/// `GET /v1/webhooks`: the endpoints, and how they do.
///
/// - Confinement: any
package struct ListWebhooks: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let webhooks = context.transaction.webhooks
        var triggers: [String: [String]] = [:]
        for row in try context.transaction.triggers.all() {
            let object = try StoredJSON.object(row, place: "triggers.row")
            guard let url = object["webhook"]?.stringValue, let name = object["name"]?.stringValue else { continue }
            triggers[url, default: []].append(name)
        }
        reply.name("webhooks")
        reply.beginArray()
        for endpoint in try webhooks.endpoints() {
            let names = triggers.removeValue(forKey: endpoint.url) ?? []
            try write(endpoint, names, webhooks, to: &reply)
        }
        // Those that nothing went to yet.
        for (url, names) in triggers.sorted(by: { $0.key < $1.key }) {
            reply.beginObject()
            reply.member("url", url)
            reply.member("state", "unused")
            reply.member("pending", 0)
            reply.member("triggers", .array(names.map { .string($0) }))
            reply.endObject()
        }
        reply.endArray()
    }

    private func write(
        _ endpoint: WebhookEndpoint,
        _ triggers: [String],
        _ webhooks: WebhookTable<Transaction>,
        to reply: inout JSONWriter
    ) throws {
        reply.beginObject()
        reply.member("id", String(endpoint.id))
        reply.member("url", endpoint.url)
        let state = endpoint.disabledAt != nil ? "disabled" : endpoint.failures > 0 ? "failing" : "ok"
        reply.member("state", state)
        reply.member("pending", try webhooks.countPending(of: endpoint.id))
        if let next = try webhooks.waiting(for: endpoint.id, limit: 1).first, endpoint.disabledAt == nil {
            reply.member("next", next.due.text)
        }
        reply.member("failures", endpoint.failures)
        if let time = endpoint.disabledAt { reply.member("disabled", time.text) }
        if let time = endpoint.triedAt { reply.member("at", time.text) }
        if let status = endpoint.status { reply.member("status", status) }
        if let answer = endpoint.answer { reply.member("answer", answer) }
        reply.member("triggers", .array(triggers.map { .string($0) }))
        reply.endObject()
    }
}
