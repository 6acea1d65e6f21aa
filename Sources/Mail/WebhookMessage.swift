/// What other threads tell the thread that sends webhooks.
///
/// - Confinement: any
package enum WebhookMessage: Sendable {
    /// Something was committed about webhooks. The first one comes when the writer is there.
    case look
    case stop
}
