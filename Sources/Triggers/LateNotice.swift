import JSON
package import Model

/// The `late` column of a row: what becomes of a time that is over when the document is written, or when the server comes
/// to it.
///
/// - Confinement: any
package enum LateNotice: String, Sendable, Hashable, CaseIterable {
    /// It is told at once.
    case tell
    /// Nobody is told.
    case skip

    var json: JSONValue { self == .tell ? .null : .string(rawValue) }

    /// Whether what was scheduled in time is not told any more: the server was off, and comes to it too late.
    package func isOver(_ due: Timestamp, at now: Timestamp) -> Bool {
        self == .skip && now.milliseconds - due.milliseconds > TriggerLimits.lateMilliseconds
    }

    /// The same for a time as a document has it.
    ///
    /// - Parameter waiting: what is scheduled for the document already, and was not told yet: the same time is not late
    ///   when the server is about to come to it.
    func isOver(_ due: Timestamp, at now: Timestamp, waiting: Timestamp?) -> Bool {
        guard self == .skip, due < now else { return false }
        return waiting != due || isOver(due, at: now)
    }
}
