package import ClientProtocol
import Model
package import Services

/// What a reader found for a session: its user, and a page of the log on the same snapshot.
///
/// - Confinement: any
package struct SessionReading: Sendable {
    package let start: SessionStart
    /// Why the events asked for cannot be had; then ``page`` is nil.
    package let reset: Event.ResetReason?
    /// Nil when no events were asked for.
    package let page: LogPage?

    package init(start: SessionStart, reset: Event.ResetReason?, page: LogPage?) {
        self.start = start
        self.reset = reset
        self.page = page
    }
}
