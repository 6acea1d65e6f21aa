package import Model

/// The results of a commit.
///
/// - Confinement: any
package struct CommittedBatch<Outcome> {
    /// One for each item that was begun, in their order: how it ended, and how many of ``steps`` stand up to its
    /// end.
    package let items: [(outcome: Outcome, stepCount: Int)]
    /// The steps for the sessions, in the order written.
    package let steps: [CommittedStep]
    /// The newest position, whether or not this commit moved it.
    package let head: Position
    /// The changes to webhooks.
    package let webhooks: WebhookTally
    /// The changes to pushes.
    package let pushes: PushTally

    package init(
        items: [(outcome: Outcome, stepCount: Int)], steps: [CommittedStep], head: Position,
        webhooks: WebhookTally, pushes: PushTally
    ) {
        self.items = items
        self.steps = steps
        self.head = head
        self.webhooks = webhooks
        self.pushes = pushes
    }
}
