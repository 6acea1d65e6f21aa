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

    /// - Parameter log: Nil keeps everything.
    package init(log: Int64? = Limits.logRetentionMilliseconds) { self.log = log }

    /// Milliseconds; nil keeps everything.
    package subscript(_ kind: RetentionKind) -> Int64? {
        switch kind {
        case .log: log
        case .edits: edits
        case .reports: reports
        case .audit: audit
        }
    }
}
