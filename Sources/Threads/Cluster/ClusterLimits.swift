/// The bounds of the cluster's thread, each with its reason.
///
/// - Confinement: any
package enum ClusterLimits {
    /// Between two looks at the clock.
    static let tickMilliseconds: Int64 = 50
    /// A try to append ends after this time: writes stand that much longer when the journal elects a leader.
    static let appendMilliseconds = 500
    /// Between two questions where the journal ends.
    static let askMilliseconds: Int64 = 1000
    /// A commit that stands for longer ends leading; its wait for the journal does not count. The node is not ready after
    /// 5 s, and a disk that hangs for a shorter time is waited for.
    static let commitMilliseconds: Int64 = 6000
    /// Of entries that wait for the writer, before no more are read. 16 MiB may be on their way all the same.
    static let waitingBytesMax = 8 << 20
    /// Of the header fields of a message, which count against the size that the server takes.
    static let headerBytes = 1024
    /// Until a message that was not sent, because too much waited for the connection, is tried again.
    static let sendAgainMilliseconds: Int64 = 2
}
