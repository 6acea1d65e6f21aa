import JSON
package import Model
import Store
package import Triggers

/// A notification before it has its place: the parts that all rows for an audience share.
///
/// - Confinement: any
package struct NotificationDraft {
    let kind: String
    let level: InterruptionLevel
    let texts: StoredTexts
    /// JSON of an object.
    let data: String
    package let expires: Timestamp?
    let collapse: String?
    let trigger: String?
    /// Position of the change that fired the trigger.
    let change: Position?
    let broadcast: Int64?
    /// Path of the document that changed.
    let path: String?
    /// How often it may interrupt each recipient; nil for every time.
    let throttle: Throttle?
    /// Whether it interrupts nobody if it replaces one of at least its level.
    package var alertsOnce: Bool
    /// Whether a mute works only if it covers each of its topics that the reader follows.
    let needsAllMuted: Bool
    /// Whether it interrupts, if that is known before it is written.
    var interruption: Interruption?
    /// Whether people who got one with the same `collapse` through another topic do not get this one.
    let isOnceAcrossTopics: Bool
    /// The names of the time zones that it is for; empty for all.
    package var zones: [String] = []
    /// Whether the change has just got its position, so that its trigger has notified nobody of it yet.
    package var isFirst: Bool

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

extension NotificationDraft {
    /// The notification that a trigger wants.
    package init(_ wanted: NotificationWanted, change: Position, path: String) {
        kind = wanted.kind
        level = wanted.level
        texts = StoredTexts(wanted.texts)
        data = wanted.data.text
        expires = wanted.expires
        collapse = wanted.collapse
        trigger = wanted.trigger
        throttle = wanted.throttle
        alertsOnce = wanted.alertsOnce
        needsAllMuted = wanted.needsAllMuted
        isOnceAcrossTopics = wanted.isOnceAcrossTopics
        broadcast = nil
        isFirst = false
        self.change = change
        self.path = path
    }

    /// Whether the trigger has notified the stream of this change before.
    func isWritten(in stream: StreamID, _ transaction: Transaction) throws -> Bool {
        guard !isFirst, let trigger, let change else { return false }
        return try transaction.notifications.exists(trigger: trigger, change: change, in: stream)
    }
}
