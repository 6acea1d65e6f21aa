package import Model

/// The result of a trigger for one change.
///
/// - Confinement: any
package enum TriggerOutcome: Sendable, Hashable {
    /// The trigger does nothing, for this reason; recorded in the trail.
    case skipped(SkipReason)
    /// A notification is due now.
    case wanted(NotificationWanted)
    /// A notification is due later; a later change of the document replaces it, the document's deletion cancels it.
    case scheduled(at: Timestamp, NotificationWanted)
    /// The trigger could not be evaluated; this becomes a dead letter.
    case failed(TriggerFailure)

    /// The outcome for a document of a feed's first answer: nobody is notified of the past, but future times are
    /// scheduled.
    package func told(isBackfill: Bool) -> TriggerOutcome {
        guard isBackfill, case .wanted = self else { return self }
        return .skipped(.backfill)
    }

    /// Why parts of the audience are nobody; empty when all of it is somebody, or nobody is notified.
    package var missingPeople: [String] {
        switch self {
        case .wanted(let wanted), .scheduled(_, let wanted): wanted.missingPeople
        case .skipped, .failed: []
        }
    }

    /// Why a trigger does nothing.
    package enum SkipReason: Sendable, Hashable, CustomStringConvertible {
        /// The change does not match the row's pattern or event.
        case notWatched
        /// The condition is not true; this is its value.
        case condition(SQLValue)
        /// It has fired for this document, and `rearm` has not been true since.
        case notRearmed
        /// `at` is NULL: there is no time to fire.
        case noTime
        /// The time of `at` is over, and the row does not send late notifications.
        case late(Timestamp)
        /// The document existed before anybody asked for it.
        case backfill
        /// The trigger itself caused the write, or the chain of triggers is too long; the text says which.
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

    package var description: String { "\(trigger).\(field): \(message)" }

    /// Whether the document names nobody who can be notified: then the mistake is in the document.
    package var isAboutPeople: Bool { field == "audience" }

    /// Whether the cause is an invalid time, date or zone: then the mistake is most likely in the document.
    package var isAboutTime: Bool {
        ["is not a time", "is not a date"].contains { message.hasSuffix($0) || message.contains($0 + " ") }
    }
}
