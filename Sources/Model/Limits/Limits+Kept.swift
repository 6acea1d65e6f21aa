/// The bounds of the rows that commands leave, and of the memory that they cost a session.
extension Limits {
    // MARK: Follows

    /// Topics that one user may follow: more than a person follows in years, and a session's start that reads them all
    /// takes a few milliseconds.
    package static let followsMax: Int64 = 5_000
    /// Follows that a count of the unread looks at one by one, which takes 0.1 ms; for a user with more the count is kept.
    package static let followsVisitedMax: Int64 = 64
    /// Positions by which a kept count may be late before housekeeping brings it forward: adding up what has come and
    /// gone since takes a reader a few milliseconds.
    package static let topicCountsBehindMax: Int64 = 5_000
    /// Kept counts that one step of housekeeping brings forward: at most about 10 ms each.
    package static let topicCountsRefreshed = 2
    /// Follows of a session that are not counted among what it holds; with more of them it is no ordinary one.
    package static let followsUncounted = 256
    /// Bytes that a follow costs a session: its place in the session's list, and in the hub's table of streams.
    package static let followBytes = 48

    // MARK: Keys

    /// Bytes of one user's keys, beyond which the oldest are forgotten before their time: at about 150 bytes each the
    /// writes of a person for years, and those of a busy bot for many hours.
    package static let keyBytesPerUserMax: Int64 = 8 * 1024 * 1024
    /// Bytes of all keys: seven days of eleven writes in a second.
    package static let keyBytesMax: Int64 = 1024 * 1024 * 1024
    /// Keys that one step of housekeeping adds up: about 5 ms; more than a step's share of what the writer takes in.
    package static let keysCounted = 5_000

    // MARK: Streams

    /// Streams without followers that one step of housekeeping looks at: about 5 ms.
    package static let sweptStreamsMax = 500
}
