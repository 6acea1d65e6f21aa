/// The bounds of broadcasts.
///
/// - Confinement: any
package enum BroadcastLimits {
    /// How far ahead a broadcast may be set: a year.
    package static let aheadMilliseconds: Int64 = 366 * 86_400_000
    /// How long a broadcast to those who are online may be of interest: it is in no inbox, and nobody gets it later.
    package static let onlineMilliseconds: Int64 = 3_600_000
    /// Broadcasts that wait for their time: each second somebody looks for the next.
    package static let waitingMax: Int64 = 10_000
    /// Broadcasts sent in one transaction, so that chats do not wait: each is one row for all its readers.
    package static let dueBatch = 50
    /// Audiences of one broadcast, and as many exceptions: each is looked up when it is sent.
    package static let audiencesMax = 20
    /// People of one broadcast outside topics, since each has a row of their own; and people who are excepted, since the shared
    /// row has a mark for each.
    package static let namedMax = 10_000
    /// Rows of people that one transaction writes, so that chats do not wait.
    package static let sliceMax = 500
    /// Names of unknown people in an answer.
    package static let unknownShown = 100
    /// The people of one slice of a dry run: some 50 ms of a reader, so that others do not wait.
    package static let previewSlice = 2_000
}
