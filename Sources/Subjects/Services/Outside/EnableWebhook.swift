import ClientProtocol
package import Execution
package import JSON
package import Model
import Store
import Webhooks

/// `POST /v1/webhooks/ID/enable`: the server calls an endpoint again that had answered 410.
///
/// - Confinement: any
package struct EnableWebhook: WriteUseCase {
    let id: Int64
    package let key: WriteKey?

    package init(id: Int64, key: WriteKey?) {
        self.id = id
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("webhook.enable")
        fingerprint.add(id)
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        guard let endpoint = try context.transaction.webhooks.endpoint(id) else {
            throw Refusal(.notFound, "there is no webhook \(id)", field: "id")
        }
        let wasDisabled = try context.transaction.webhooks.enableEndpoint(url: endpoint.url)
        return ["id": .string(String(id)), "url": .string(endpoint.url), "wasDisabled": .bool(wasDisabled)]
    }
}
