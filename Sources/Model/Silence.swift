/// Why a notification lies in the inbox without interrupting: what `reason` beside `"alert": false` says.
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
    /// Its trigger interrupts a person only so often.
    case throttled
    /// It replaces one that has interrupted before, and only brings it up to date.
    case updated
}
