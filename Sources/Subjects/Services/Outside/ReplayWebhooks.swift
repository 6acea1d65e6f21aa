import ClientProtocol
package import Execution
package import JSON
package import Model
import Store
import Webhooks

/// `POST /v1/webhooks/deliveries/ID/replay` and `POST /v1/webhooks/replay`: the same events again, under the same names.
///
/// - Confinement: any
package struct ReplayWebhooks: WriteUseCase {
    let selection: WebhookSelection
    package let key: WriteKey?

    package init(_ selection: WebhookSelection, key: WriteKey?) {
        self.selection = selection
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("webhook.replay")
        switch selection {
        case .one(let id): fingerprint.add(id)
        case .delivered(let trigger, let position):
            fingerprint.add(trigger)
            fingerprint.add(position.value)
        case .deliveredFrom(let trigger, let time):
            fingerprint.add(trigger)
            fingerprint.add(time.text)
        }
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        let transaction = context.transaction
        let count: Int
        switch selection {
        case .one(let id):
            guard let job = try transaction.webhooks.job(id) else {
                throw Refusal(.notFound, "there is no delivery \(id)", field: "id")
            }
            let url = try transaction.triggers.webhook(of: job.trigger)
            guard try transaction.webhooks.requeue(job: id, url: url, at: context.now) else {
                throw Refusal(.conflict, "the delivery \(id) is already waiting to be sent", field: "id")
            }
            count = 1
        case .delivered(let trigger, let position):
            count = try requeue(trigger, after: position, from: Timestamp(milliseconds: .min), in: context)
        case .deliveredFrom(let trigger, let time):
            count = try requeue(trigger, after: .zero, from: time, in: context)
        }
        return ["replayed": .integer(Int64(count))]
    }

    private func requeue(
        _ trigger: String,
        after position: Position,
        from time: Timestamp,
        in context: WriteContext
    ) throws -> Int {
        let url = try context.transaction.triggers.webhook(of: trigger)
        return try context.transaction.webhooks.requeue(
            trigger: trigger,
            after: position,
            from: time,
            url: url,
            at: context.now
        )
    }
}

extension TriggerRowTable {
    /// The present address of a row's webhook; nil when it has none, or there is no such row.
    func webhook(of trigger: String) throws -> String? {
        guard let row = try find(trigger) else { return nil }
        return try StoredJSON.object(row, place: "triggers.row")["webhook"]?.stringValue
    }
}
