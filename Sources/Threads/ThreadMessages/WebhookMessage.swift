/// Messages to the thread that sends webhooks.
///
/// - Confinement: any
package enum WebhookMessage: Sendable {
    /// A commit changed something about webhooks. The first one comes when the writer has started.
    case look
    /// Whether this node sends webhooks; on a member of a cluster the one that leads does. See
    /// ``Mailboxes/tellDuty(isOn:)``.
    case duty(isOn: Bool)
    case stop
}
