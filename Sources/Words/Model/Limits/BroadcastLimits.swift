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
}
