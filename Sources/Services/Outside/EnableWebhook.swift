import ClientProtocol
package import JSON
package import Model
import Store

/// `POST /v1/webhooks/ID/enable`: an endpoint that had answered 410 is asked again.
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

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard let endpoint = try context.transaction.webhooks.endpoint(id) else {
            throw Refusal(.notFound, "there is no webhook \(id)", field: "id")
        }
        let wasDisabled = try context.transaction.enableEndpoint(url: endpoint.url)
        reply.member("id", String(id))
        reply.member("url", endpoint.url)
        reply.member("wasDisabled", wasDisabled)
    }
}
