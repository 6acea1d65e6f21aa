import ClientProtocol
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

/// `GET /v1/webhooks/deliveries`: jobs of every state, newest first.
///
/// - Confinement: any
package struct ListWebhookDeliveries: ReadUseCase {
    /// The words for what has become of a job.
    package static let states = ["pending", "delivered", "dead"]

    let endpoint: String?
    let trigger: String?
    let state: String?
    let before: String?
    let limit: Int

    /// - Parameters:
    ///   - endpoint: number of one; nil for all.
    ///   - trigger: name of one; nil for all.
    ///   - state: one of ``states``; nil for all.
    package init(endpoint: String?, trigger: String?, state: String?, before: String?, limit: Int) {
        self.endpoint = endpoint
        self.trigger = trigger
        self.state = state
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
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
        reply.name("deliveries")
        reply.beginArray()
        for job in jobs.prefix(limit) { write(job, url: urls[job.endpoint] ?? "", to: &reply) }
        reply.endArray()
        if jobs.count > limit { reply.member("next", String(jobs[limit - 1].id)) }
    }

    private static func number(_ text: String) throws(Refusal) -> Int64 {
        guard let number = Int64(text), number > 0 else {
            throw Refusal.badRequest(field: "webhook", "must be the number of an endpoint")
        }
        return number
    }

    private func write(_ job: WebhookJob, url: String, to reply: inout JSONWriter) {
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
