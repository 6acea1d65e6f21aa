import JSON
package import Model

/// The `late` column of a row: whether a notification is sent when its time had passed before the document was written,
/// or before the server came to it.
///
/// - Confinement: any
package enum LateNotice: String, Sendable, Hashable, CaseIterable {
    /// It is sent at once.
    case tell
    /// It is not sent.
    case skip

    var json: JSONValue { self == .tell ? .null : .string(rawValue) }

    /// Whether a scheduled notification is too late to be sent: the server was off when it was due.
    package func isOver(_ due: Timestamp, at now: Timestamp) -> Bool {
        self == .skip && now.milliseconds - due.milliseconds > TriggerLimits.lateMilliseconds
    }

    /// The same for a time in a document.
    ///
    /// - Parameter waiting: The time that is already scheduled for the document and still waits; the same time is not
    ///   late when the server is about to come to it.
    func isOver(_ due: Timestamp, at now: Timestamp, waiting: Timestamp?) -> Bool {
        guard self == .skip, due < now else { return false }
        return waiting != due || isOver(due, at: now)
    }
}
