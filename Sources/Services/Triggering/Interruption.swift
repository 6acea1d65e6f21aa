import Model
import Store
import Triggers

/// Whether a notification interrupts, as far as what it replaces and its trigger say.
///
/// - Confinement: any
struct Interruption: Sendable {
    /// Why it interrupts nobody; nil when that is for each recipient's preferences to say.
    var silence: Silence?
    /// Where the first stood that it only brings up to date; nil when it is news.
    var origin: Position?
}

extension Transaction {
    /// Whether a notification that a trigger asks for interrupts, though it is in the inbox: what `alertOnce` or
    /// `throttle` says; nothing is said of what is passive, which never interrupts. Critical goes through a throttle, as
    /// through mutes.
    ///
    /// - Parameter earlier: the live notification of the same `collapse`, which this one replaces. Where it was held or
    ///   throttled, and nobody has been told yet, the new one is judged by itself.
    func interruption(
        by draft: NotificationDraft,
        replacing earlier: NotificationEntry?,
        in stream: StreamID,
        _ topic: String,
        at now: Timestamp
    ) throws -> Interruption {
        if let known = draft.interruption { return known }
        guard draft.level > .passive else { return Interruption() }
        if draft.alertsOnce, let earlier, draft.level <= earlier.level,
            try isTold(earlier, kind: draft.kind, topic, to: stream)
        {
            return Interruption(silence: .updated, origin: earlier.origin ?? earlier.position)
        }
        guard draft.level < .critical, let throttle = draft.throttle, let trigger = draft.trigger else {
            return Interruption()
        }
        let count = try triggerStates.interruptions(
            by: trigger, of: stream, about: draft.throttledSubject, at: now, within: throttle.seconds * 1000)
        return Interruption(silence: count < throttle.max ? nil : .throttled)
    }

    /// Whether a notification has interrupted, or a digest has told of it.
    private func isTold(
        _ entry: NotificationEntry, kind: String, _ topic: String, to stream: StreamID
    ) throws -> Bool {
        let subjects: [DigestSubject]
        switch entry.silence {
        case nil, .updated: return true
        case .digest: subjects = [.topic(topic), .kind(kind)]
        case .quietHours: subjects = [.quietHours]
        case .muted, .level, .throttled: return false
        }
        let first = entry.origin ?? entry.position
        return try subjects.contains { try digests.find($0.name, of: stream).map { $0.since >= first } ?? false }
    }
}

extension NotificationDraft {
    /// What the throttle counts by itself: the `collapse` where the row says so, else everything that the row tells.
    fileprivate var throttledSubject: String { throttle?.countsEachCollapse == true ? collapse ?? "" : "" }
}

extension WriteContext {
    /// Counts the notification for the throttle of its trigger, if it has one and the notification interrupts.
    ///
    /// - Parameter stream: whose interruptions are counted together.
    func noteInterruption(by draft: NotificationDraft, _ entry: NotificationEntry, of stream: StreamID) throws {
        guard let throttle = draft.throttle, let trigger = draft.trigger, draft.level > .passive, entry.silence == nil
        else { return }
        try transaction.triggerStates.noteInterruption(
            entry.position,
            by: trigger,
            of: stream,
            about: draft.throttledSubject,
            until: now.adding(milliseconds: throttle.seconds * 1000),
            at: now
        )
    }
}
