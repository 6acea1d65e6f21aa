package import ClientProtocol
package import Services

/// A reader's result for a session: its user, and a page of the log from the same snapshot.
///
/// - Confinement: any
package struct SessionReading: Sendable {
    package let start: SessionStart
    /// Why the missed events are not available; then ``page`` is nil.
    package let reset: Event.ResetReason?
    /// Nil when no events were asked for.
    package let page: LogPage?

    package init(start: SessionStart, reset: Event.ResetReason?, page: LogPage?) {
        self.start = start
        self.reset = reset
        self.page = page
    }
}
