import Model
import Store
import Triggers

/// Why a notification that a trigger asks for interrupts nobody, though it is in the inbox.
extension WriteContext {
    /// The reason that `alertOnce` or `throttle` gives; nil for none.
    ///
    /// - Parameter earlier: the live notification of the same `collapse`, which this one replaces. Where it was
    ///   throttled, nobody has been told yet, and the new one is judged by itself.
    func silence(
        of draft: NotificationDraft,
        replacing earlier: NotificationEntry?,
        in stream: StreamID
    ) throws -> Silence? {
        if draft.alertsOnce, let earlier, earlier.silence != .throttled, draft.level <= earlier.level {
            return .updated
        }
        guard let throttle = draft.throttle, let trigger = draft.trigger else { return nil }
        let count = try transaction.triggerStates.interruptions(by: trigger, of: stream, at: now)
        return count < throttle.max ? nil : .throttled
    }

    /// Counts the notification for the throttle of its trigger, if it has one and the notification interrupts.
    func noteInterruption(by draft: NotificationDraft, _ entry: NotificationEntry) throws {
        guard let throttle = draft.throttle, let trigger = draft.trigger, entry.silence == nil else { return }
        try transaction.triggerStates.noteInterruption(
            entry.position,
            by: trigger,
            of: entry.stream,
            until: now.adding(milliseconds: throttle.seconds * 1000),
            at: now
        )
    }
}
