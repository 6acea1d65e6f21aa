package import Execution
package import JSON
import Model
import Store
import Webhooks

/// `GET /v1/webhooks`: the endpoints and their states.
///
/// - Confinement: any
package struct ListWebhooks: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext) throws -> JSONObject {
        let webhooks = context.transaction.webhooks
        var triggers: [String: [String]] = [:]
        for row in try context.transaction.triggers.all() {
            let object = try StoredJSON.object(row, place: "triggers.row")
            guard let url = object["webhook"]?.stringValue, let name = object["name"]?.stringValue else { continue }
            triggers[url, default: []].append(name)
        }
        let used = try webhooks.endpoints().map { endpoint in
            Self.json(
                endpoint, pending: try webhooks.countPending(of: endpoint.id),
                next: try webhooks.waiting(for: endpoint.id, limit: 1).first?.due,
                triggers: triggers.removeValue(forKey: endpoint.url) ?? [])
        }
        // The endpoints that have got nothing yet.
        let unused = triggers.sorted { $0.key < $1.key }.map { url, triggers -> JSONObject in
            [
                "url": .string(url), "state": "unused", "pending": 0,
                "triggers": .array(triggers.map { .string($0) }),
            ]
        }
        return ["webhooks": .array((used + unused).map { .object($0) })]
    }

    /// - Parameters:
    ///   - next: when the next of those that wait is due.
    ///   - triggers: the names of the triggers that have it.
    private static func json(
        _ endpoint: WebhookEndpoint, pending: Int64, next: Timestamp?, triggers: [String]
    ) -> JSONObject {
        let state = endpoint.disabledAt != nil ? "disabled" : endpoint.failures > 0 ? "failing" : "ok"
        var object: JSONObject = [
            "id": .string(String(endpoint.id)), "url": .string(endpoint.url), "state": .string(state),
            "pending": .integer(pending),
        ]
        if endpoint.disabledAt == nil { object["next"] = next.map { .string($0.text) } }
        object["failures"] = .integer(endpoint.failures)
        object["disabled"] = endpoint.disabledAt.map { .string($0.text) }
        object["at"] = endpoint.triedAt.map { .string($0.text) }
        object["status"] = endpoint.status.map { .integer($0) }
        object["answer"] = endpoint.answer.map { .string($0) }
        object["triggers"] = .array(triggers.map { .string($0) })
        return object
    }
}
