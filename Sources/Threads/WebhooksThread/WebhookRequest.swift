import Authentication
import Configuration
import Model
import Outbound
import Services
import Store
import Webhooks

/// The HTTP request of a webhook: a CloudEvent in structured mode, signed according to Standard Webhooks 1.0.
///
/// - Confinement: any
enum WebhookRequest {
    /// - Parameter now: The time of this attempt, which the receiver checks.
    static func make(
        _ delivery: WebhookDelivery, _ configuration: WebhookConfiguration, signedWith secrets: WebhookSecrets,
        at now: Timestamp
    ) -> OutboundRequest {
        let body = delivery.cloudEvent(source: configuration.source)
        let seconds = now.milliseconds / 1000
        return OutboundRequest(
            .post(body), url: delivery.url,
            fields: [
                OutboundRequest.Field("Content-Type", "application/cloudevents+json"),
                OutboundRequest.Field("webhook-id", delivery.job.name),
                OutboundRequest.Field("webhook-timestamp", String(seconds)),
                OutboundRequest.Field(
                    "webhook-signature", secrets.signature(id: delivery.job.name, seconds: seconds, body: body)),
                OutboundRequest.Field(TriggerChain.headerName, delivery.job.chain),
            ],
            connectMilliseconds: configuration.pace.connectMilliseconds,
            totalMilliseconds: configuration.pace.answerMilliseconds, answerBytesMax: WebhookLimits.answerBytesMax)
    }

    /// The `host[:port]` of an address.
    static func host(of url: String) -> String {
        let rest = url.split(separator: "//", maxSplits: 1).last ?? ""
        return String(rest.prefix { $0 != "/" && $0 != "?" })
    }
}
