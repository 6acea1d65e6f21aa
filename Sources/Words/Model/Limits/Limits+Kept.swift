/// The bounds of the rows that commands leave, and of a session's memory for them.
extension Limits {
    // MARK: Follows

    /// Topics that one user may follow: more than a person follows in years. A session's start reads all of them in a
    /// few milliseconds.
    package static let followsMax: Int64 = 5_000
    /// Up to this number of follows, a count of the unread visits each of them, which takes 0.1 ms; for users with
    /// more, the count is stored.
    package static let followsVisitedMax: Int64 = 64
    /// How many positions a stored count may be old before housekeeping renews it: a reader needs a few milliseconds to
    /// add up the changes since then.
    package static let topicCountsBehindMax: Int64 = 5_000
    /// Stored counts that one step of housekeeping renews: at most about 10 ms each.
    package static let topicCountsRefreshed = 2
    /// Follows of a session that do not count as held memory; only unusual sessions have more.
    package static let followsUncounted = 256
    /// Bytes of memory that a follow costs a session: in the session's list and in the hub's table of streams.
    package static let followBytes = 48

    // MARK: Keys

    /// Bytes of one user's keys, beyond which the oldest are forgotten early. A key takes about 150 bytes: the writes
    /// of a person for years, and those of a busy bot for many hours.
    package static let keyBytesPerUserMax: Int64 = 8 * 1024 * 1024
    /// Bytes of all keys: seven days with eleven writes a second.
    package static let keyBytesMax: Int64 = 1024 * 1024 * 1024
    /// Keys that one step of housekeeping counts: about 5 ms, and more than the writer accepts during a step.
    package static let keysCounted = 5_000

    // MARK: Streams

    /// Streams without followers that one step of housekeeping checks: about 5 ms.
    package static let sweptStreamsMax = 500
}
