/// The bounds of blocks, restrictions and reports.
///
/// - Confinement: any
package enum ModerationLimits {
    /// People whom one user may block: as many as one may follow.
    package static let blocksMax: Int64 = 5000
    /// The number of people that one user may name in a day before they ever come, unless the configuration says otherwise. Each is
    /// kept like somebody who came.
    package static let newNamesPerDay: Int64 = 20
    /// Bytes of what a moderator tells a user: a paragraph with how to object.
    package static let statementBytesMax = 2000
    /// Messages that a report copies before the reported one, and after it.
    package static let reportedAroundMax = 5
    /// Earlier texts of the reported message that a report copies, the newest ones. A moderator
    /// judges by the text that people have seen last.
    package static let reportedPastMax = 20
    /// Bytes of a report's copy, as JSON: eleven messages of the longest text, and some earlier texts. The writer makes
    /// it in a few milliseconds, and a moderator can always read it.
    package static let reportedBytesMax = 256 * 1024
    /// Reports of one person in a day, unless the configuration says otherwise.
    package static let reportsPerDay: Int64 = 50
    /// Characters of the reason that a reporter gives.
    package static let reportReasonCharactersMax = 1000
    /// Milliseconds for which reports are kept: long enough for an objection and its answer.
    package static let reportMilliseconds: Int64 = 180 * 86_400_000
}
