package import Model
package import Store
import Triggers

/// Whether a notification interrupts, as far as its trigger and the notification that it replaces decide that.
///
/// - Confinement: any
package struct Interruption: Sendable {
    /// Why it interrupts nobody; nil when the preferences of each recipient decide that.
    package var silence: Silence?
    /// The position of the first notification that it only brings up to date; nil when it is news.
    package var origin: Position?
}

extension Interruption {
    /// Decides by the trigger's `alertOnce` and `throttle` whether a notification interrupts, though it is in the inbox.
    ///
    /// A passive notification never interrupts, so nothing is decided about it. A critical one passes a throttle, as it
    /// passes mutes.
    ///
    /// - Parameter earlier: the live notification with the same `collapse`, which this one replaces. If it was held back or
    ///   throttled, and nobody has heard of it yet, it does not count.
    package init(
        by draft: NotificationDraft,
        replacing earlier: NotificationEntry?,
        in stream: StreamID,
        _ topic: String,
        at now: Timestamp,
        _ transaction: Transaction
    ) throws {
        self.init()
        if let known = draft.interruption {
            self = known
            return
        }
        guard draft.level > .passive else { return }
        if draft.alertsOnce, let earlier, draft.level <= earlier.level,
            try Self.isKnown(earlier, kind: draft.kind, topic, to: stream, transaction)
        {
            self.init(silence: .updated, origin: earlier.origin ?? earlier.position)
            return
        }
        guard draft.level < .critical, let throttle = draft.throttle, let trigger = draft.trigger else { return }
        let count = try transaction.triggerStates.interruptions(
            by: trigger, of: stream, about: draft.throttledSubject, at: now, within: throttle.seconds * 1000)
        if count >= throttle.max { silence = .throttled }
    }

    /// Whether a notification has interrupted, or a digest has listed it.
    private static func isKnown(
        _ entry: NotificationEntry, kind: String, _ topic: String, to stream: StreamID, _ transaction: Transaction
    ) throws -> Bool {
        let subjects: [DigestSubject]
        switch entry.silence {
        case nil, .updated: return true
        case .digest: subjects = [.topic(topic), .kind(kind)]
        case .quietHours: subjects = [.quietHours]
        case .muted, .level, .throttled: return false
        }
        let first = entry.origin ?? entry.position
        return try subjects.contains { subject in
            try transaction.digests.find(subject.name, of: stream).map { $0.since >= first } ?? false
        }
    }
}

extension NotificationDraft {
    /// The throttle counts the notifications with the same subject together: the `collapse` if the row says so, else all
    /// notifications of the row.
    var throttledSubject: String { throttle?.countsEachCollapse == true ? collapse ?? "" : "" }
}
