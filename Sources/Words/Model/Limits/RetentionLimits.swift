/// Bounds of the work that removes rows after their retention.
///
/// - Confinement: any
package enum RetentionLimits {
    /// Messages that one step deletes, each with its event and its notifications: some 4 ms.
    package static let messages = 50
    /// Messages that one step looks at, to find those that are too old.
    package static let messagesLookedAt = 1000
    /// Notifications that one step takes away, each with its event.
    package static let notifications = 50
}
