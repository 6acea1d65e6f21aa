package import Model

/// What a trigger came to for one change.
///
/// - Confinement: any
package enum TriggerOutcome: Sendable, Hashable {
    /// Nothing is to be done, and why: for the trail.
    case skipped(SkipReason)
    /// A notification is due now.
    case wanted(NotificationWanted)
    /// A notification is due later; a later change of the document replaces it, its deletion drops it.
    case scheduled(at: Timestamp, NotificationWanted)
    /// The trigger could not be evaluated: one for the dead letters.
    case failed(TriggerFailure)

    /// The outcome for a document that a feed brings with its first answer: nobody is told of what is past; what lies
    /// ahead is scheduled.
    package func told(isBackfill: Bool) -> TriggerOutcome {
        guard isBackfill, case .wanted = self else { return self }
        return .skipped(.backfill)
    }

    /// Why nothing is to be done.
    package enum SkipReason: Sendable, Hashable, CustomStringConvertible {
        /// The row's pattern or event is not that of the change.
        case notWatched
        /// The condition's value, which is not true.
        case condition(SQLValue)
        /// It has fired for this document, and `rearm` has not been true since.
        case notRearmed
        /// `at` is NULL: there is no time to fire.
        case noTime
        /// The time of `at` is over, and the row does not tell what is late.
        case late(Timestamp)
        /// The document was there before anybody asked for it.
        case backfill
        /// The write came about through the trigger itself, or through too many; says which.
        case chain(String)

        package var description: String {
            switch self {
            case .notWatched: "the row does not watch this change"
            case .condition(let value): "the condition is \(value)"
            case .notRearmed: "not rearmed"
            case .noTime: "at is NULL"
            case .late(let due): "late: its time, \(due.text), is over"
            case .backfill: "it was in the first answer of the feed"
            case .chain(let objection): objection
            }
        }
    }
}

/// Why a trigger could not be evaluated for one change.
///
/// - Confinement: any
package struct TriggerFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The row's name.
    package let trigger: String
    /// The column whose evaluation failed.
    package let field: String
    /// A sentence for people.
    package let message: String

    package init(trigger: String, field: String, message: String) {
        self.trigger = trigger
        self.field = field
        self.message = message
    }

    package var description: String { "\(trigger).\(field): \(message)" }

    /// Whether a time, a date or a zone that it was given is none: then the slip is most likely the document's.
    package var isAboutTime: Bool {
        ["is not a time", "is not a date"].contains { message.hasSuffix($0) || message.contains($0 + " ") }
    }
}
