package import Model
import Store

/// Which webhooks are to go out once more.
///
/// - Confinement: any
package enum WebhookSelection: Sendable, Hashable {
    /// One job.
    case one(Int64)
    /// All that a trigger's webhook delivered, for changes behind a position, or from a time on.
    case delivered(trigger: String, after: Position)
    case deliveredFrom(trigger: String, Timestamp)
}
