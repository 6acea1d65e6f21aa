import Model
import Store
import Triggers

/// A notification before it has its place: what all of an audience's rows have in common.
///
/// - Confinement: any
struct NotificationDraft {
    let kind: String
    let level: InterruptionLevel
    let texts: StoredTexts
    /// JSON of an object.
    let data: String
    let expires: Timestamp?
    let collapse: String?
    let trigger: String?
    /// Position of the change that fired the trigger.
    let change: Position?
    let broadcast: Int64?
    /// Path of the document that changed.
    let path: String?
    /// How often it may interrupt each recipient; nil for every time.
    let throttle: Throttle?
    /// Whether it interrupts nobody where it replaces one of at least its level.
    var alertsOnce: Bool
    /// Whether a mute holds only if it covers each of its topics that the reader follows.
    let needsAllMuted: Bool
    /// Whether it interrupts, where that is known before it is written.
    var interruption: Interruption?
    /// Whether who was told by another topic of what has the same collapse is not told again.
    let isOnceAcrossTopics: Bool
    /// The time zones of those whom it is for, by their names; empty for all.
    var zones: [String] = []
    /// Whether the change has just been given its position, so that its trigger can have notified nobody of it yet.
    var isFirst: Bool

    init(
        kind: String,
        level: InterruptionLevel,
        texts: StoredTexts,
        data: String,
        expires: Timestamp?,
        collapse: String?,
        broadcast: Int64?
    ) {
        self.kind = kind
        self.level = level
        self.texts = texts
        self.data = data
        self.expires = expires
        self.collapse = collapse
        self.broadcast = broadcast
        trigger = nil
        change = nil
        path = nil
        throttle = nil
        alertsOnce = false
        needsAllMuted = false
        isOnceAcrossTopics = false
        isFirst = true
    }
}
