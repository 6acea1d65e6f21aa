/// Messages to the thread that sends webhooks.
///
/// - Confinement: any
package enum WebhookMessage: Sendable {
    /// A commit changed something about webhooks. The first one comes when the writer has started.
    case look
    case stop
}
