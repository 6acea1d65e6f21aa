package import JSON
package import Model
import Store
package import Triggers

/// A notification before it has its place: the parts that all rows for an audience share.
///
/// - Confinement: any
package struct NotificationDraft {
    private(set) var kind: String
    let level: InterruptionLevel
    let texts: StoredTexts
    /// JSON of an object.
    let data: String
    package let expires: Timestamp?
    let collapse: String?
    var trigger: String?
    /// Position of the change that fired the trigger.
    var change: Position?
    let broadcast: Int64?
    /// Path of the document that changed.
    var path: String?
    /// The user whose write it comes from; nil when that was no user's. Those who block the writer do not get it.
    package var writer: StreamID?
    /// Whether those who block the writer get it, too.
    var ignoresBlocks = false
    /// How often it may interrupt each recipient; nil for every time.
    var throttle: Throttle?
    /// Whether it interrupts nobody if it replaces one of at least its level.
    package var alertsOnce = false
    /// Whether a mute works only if it covers each of its topics that the reader follows.
    var needsAllMuted = false
    /// Whether it interrupts, if that is known before it is written.
    var interruption: Interruption?
    /// Whether people who got one with the same `collapse` through another topic do not get this one.
    var isOnceAcrossTopics = false
    /// The users that do not get a row that many read: they have one of their own, or are excepted.
    var withheld: [StreamID] = []
    /// The names of the time zones that it is for; empty for all.
    package var zones: [String] = []
    /// Whether the change has just got its position, so that its trigger has notified nobody of it yet.
    package var isFirst = true
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
        ignoresBlocks = wanted.ignoresBlocks
        broadcast = nil
        isFirst = false
        self.change = change
        self.path = path
    }

    /// A notification by which moderators tell one person something.
    package init(byModerators texts: StoredTexts, data: JSONObject, collapse: String?) {
        kind = NotificationFacts.moderationKind
        level = .active
        self.texts = texts
        self.data = JSONValue.object(data).text
        self.collapse = collapse
        expires = nil
        broadcast = nil
    }

    /// A notification by which the server tells one person something about a device.
    package init(ofDevice texts: StoredTexts, data: JSONObject) {
        self.init(byModerators: texts, data: data, collapse: nil)
        kind = "device"
    }

    /// Whether the trigger has notified the stream of this change before.
    func isWritten(in stream: StreamID, _ transaction: Transaction) throws -> Bool {
        guard !isFirst, let trigger, let change else { return false }
        return try transaction.notifications.exists(trigger: trigger, change: change, in: stream)
    }
}
