import Model
import Store
import Triggers

extension Transaction {
    /// Why a notification that a trigger asks for interrupts nobody, though it is in the inbox: the reason that
    /// `alertOnce` or `throttle` gives; nil for none, as for what is passive, which never interrupts. Critical goes
    /// through a throttle, as through mutes.
    ///
    /// - Parameter earlier: the live notification of the same `collapse`, which this one replaces. Where it was held or
    ///   throttled, nobody has been told yet, and the new one is judged by itself.
    func silence(
        of draft: NotificationDraft,
        replacing earlier: NotificationEntry?,
        in stream: StreamID,
        at now: Timestamp
    ) throws -> Silence? {
        guard draft.level > .passive else { return nil }
        if draft.alertsOnce, let earlier, earlier.silence == nil || earlier.silence == .updated,
            draft.level <= earlier.level
        {
            return .updated
        }
        guard draft.level < .critical, let throttle = draft.throttle, let trigger = draft.trigger else { return nil }
        let count = try triggerStates.interruptions(
            by: trigger, of: stream, about: draft.throttledSubject, at: now, within: throttle.seconds * 1000)
        return count < throttle.max ? nil : .throttled
    }
}

extension NotificationDraft {
    /// What the throttle counts by itself: the `collapse` where the row says so, else everything that the row tells.
    fileprivate var throttledSubject: String { throttle?.countsEachCollapse == true ? collapse ?? "" : "" }
}

extension WriteContext {
    /// Counts the notification for the throttle of its trigger, if it has one and the notification interrupts.
    func noteInterruption(by draft: NotificationDraft, _ entry: NotificationEntry) throws {
        guard let throttle = draft.throttle, let trigger = draft.trigger, draft.level > .passive, entry.silence == nil
        else { return }
        try transaction.triggerStates.noteInterruption(
            entry.position,
            by: trigger,
            of: entry.stream,
            about: draft.throttledSubject,
            until: now.adding(milliseconds: throttle.seconds * 1000),
            at: now
        )
    }
}
