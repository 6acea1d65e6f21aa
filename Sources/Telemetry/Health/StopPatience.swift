import Model

/// For how long a server that stops waits for its writer: times and counts in, a time out.
///
/// A write that was begun is answered if the disk allows it: as long as commits end, however slowly, the next one is
/// waited for. A disk that does not answer at all holds nobody for long.
package struct StopPatience: Sendable {
    /// When it ends in any case, in milliseconds.
    private let end: Int64
    private var progressAt: Int64
    private var commits: Int

    /// - Parameters:
    ///   - now: milliseconds of a clock that does not jump.
    ///   - milliseconds: the longest that it may take.
    ///   - commits: how many have ended so far, well or not.
    package init(at now: Int64, milliseconds: Int64, commits: Int) {
        end = now + milliseconds
        progressAt = now
        self.commits = commits
    }

    /// Until when a connection whose commands are not answered may stay; nil when there is nothing to wait for. It is
    /// asked again each second.
    ///
    /// - Parameter pending: writes that wait for the writer, those in the commit under way among them.
    package mutating func deadline(at now: Int64, pending: Int, commits: Int) -> Int64? {
        if commits != self.commits {
            self.commits = commits
            progressAt = now
        }
        guard pending > 0, now < end, now - progressAt < Limits.stopStalledMilliseconds else { return nil }
        return min(end, now + 1500)
    }
}
