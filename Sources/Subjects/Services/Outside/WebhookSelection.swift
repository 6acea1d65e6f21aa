package import Model
import Store

/// The webhooks to send once more.
///
/// - Confinement: any
package enum WebhookSelection: Sendable, Hashable {
    /// One job.
    case one(Int64)
    /// All deliveries of a trigger's webhook for changes after a position, or from a time on.
    case delivered(trigger: String, after: Position)
    case deliveredFrom(trigger: String, Timestamp)
}
