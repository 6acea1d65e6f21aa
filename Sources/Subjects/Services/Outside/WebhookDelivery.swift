import JSON
import Model
import Store
package import Webhooks

/// A webhook job for the thread that sends it.
///
/// - Confinement: any
package struct WebhookDelivery: Sendable {
    package let job: WebhookJob
    package let url: String
    /// JSON of an object.
    package let data: String

    package init(job: WebhookJob, url: String, data: String) {
        self.job = job
        self.url = url
        self.data = data
    }

    /// The body: a CloudEvent 1.0 in structured mode.
    ///
    /// - Parameter source: the source of all events of this server.
    package func cloudEvent(source: String) -> [UInt8] {
        let type =
            switch job.event {
            case "create": "watchwise.document.created"
            case "delete": "watchwise.document.deleted"
            default: "watchwise.document.updated"
            }
        var writer = JSONWriter(capacity: data.utf8.count + 512)
        writer.beginObject()
        writer.member("specversion", "1.0")
        writer.member("id", job.name)
        writer.member("source", source)
        writer.member("type", type)
        writer.member("subject", job.path)
        writer.member("time", job.at.text)
        writer.member("datacontenttype", "application/json")
        writer.member("watchwisechain", job.chain)
        writer.name("data")
        writer.raw(data)
        writer.endObject()
        return writer.bytes
    }
}
