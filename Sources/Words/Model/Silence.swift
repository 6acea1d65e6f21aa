/// Why a notification is in the inbox without interrupting: the `reason` beside `"alert": false`.
///
/// - Confinement: any
package enum Silence: String, Sendable, Hashable, CaseIterable {
    /// The user has muted its topic, its kind or its chat.
    case muted
    /// The user's quiet hours.
    case quietHours = "quiet-hours"
    /// The user does not want to be interrupted at its level, or by its kind.
    case level
    /// It is collected for the next digest.
    case digest
    /// The throttle of its trigger has been reached for this person.
    case throttled
    /// It replaces one that has interrupted before.
    case updated
}
