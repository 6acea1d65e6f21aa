/// How an outbox behaves.
/// - Confinement: any
package struct OutboxConfiguration: Sendable {
    package let user: String
    /// Whether the application decides about conflicts.
    package var asksAboutConflicts = false
    /// The most lanes that have a write under way.
    package var lanesMax = 16
    package var entriesMax = 1000
    /// Of the commands as JSON.
    package var bytesMax = 8 << 20
    /// Waits after refusals for now.
    package var backoff = Backoff()

    package init(user: String) { self.user = user }
}
