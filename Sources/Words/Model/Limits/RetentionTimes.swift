/// Kinds of rows that are kept for a time.
///
/// - Confinement: any
package enum RetentionKind: String, CaseIterable, Sendable {
    /// Entries of the log, and the versions of documents that they lead to.
    case log
    /// Texts that edits have replaced and deletions have taken, which are kept for reports.
    case edits
    /// Reports with their copies.
    case reports
    /// Rows of the audit.
    case audit
    /// Notifications that nobody has taken away.
    case notifications
    /// Messages of chats that nobody has deleted.
    case messages

    /// Where the time of a kind stands.
    package enum Place {
        case bounded(WritableKeyPath<RetentionTimes, Int64>)
        /// The kind may also be kept for ever.
        case open(WritableKeyPath<RetentionTimes, Int64?>)
    }

    /// The table of all kinds.
    package var place: Place {
        switch self {
        case .log: .open(\.log)
        case .edits: .bounded(\.edits)
        case .reports: .bounded(\.reports)
        case .audit: .bounded(\.audit)
        case .notifications: .open(\.notifications)
        case .messages: .open(\.messages)
        }
    }
}

/// How long rows of each kind are kept.
///
/// - Confinement: any
package struct RetentionTimes: Sendable, Hashable {
    /// Milliseconds for which the log is kept for devices that were away; nil keeps everything.
    package var log: Int64?
    package var edits = Limits.pastMessageMilliseconds
    package var reports = ModerationLimits.reportMilliseconds
    package var audit = Limits.auditMilliseconds
    /// Milliseconds for which a registration for pushes is kept without a registration or a `hello` of the device.
    package var registrations = PushLimits.unusedMilliseconds
    /// Milliseconds after which a notification expires for everybody; nil keeps all.
    package var notifications: Int64?
    /// Milliseconds after which a message is deleted; nil keeps all.
    package var messages: Int64?

    /// - Parameter log: Nil keeps everything.
    package init(log: Int64? = Limits.logRetentionMilliseconds) { self.log = log }

    /// Milliseconds; nil keeps everything.
    package subscript(_ kind: RetentionKind) -> Int64? {
        switch kind.place {
        case .bounded(let path): self[keyPath: path]
        case .open(let path): self[keyPath: path]
        }
    }
}
