import Model

/// Decides how long a stopping server waits for its writer.
///
/// A started write is answered if the disk allows it: as long as commits end, however slowly, the server waits for the
/// next one. It does not wait long for a disk that does not answer at all.
package struct StopPatience: Sendable {
    /// The latest time to stop waiting, in milliseconds.
    private let end: Int64
    private var progressAt: Int64
    private var commits: Int

    /// - Parameters:
    ///   - now: Milliseconds of a clock that does not jump.
    ///   - milliseconds: The longest time to wait.
    ///   - commits: How many commits have ended so far, successfully or not.
    package init(at now: Int64, milliseconds: Int64, commits: Int) {
        end = now + milliseconds
        progressAt = now
        self.commits = commits
    }

    /// How long a connection with unanswered commands may stay; nil when there is nothing to wait for. Asked again each
    /// second.
    ///
    /// - Parameter pending: The writes that wait for the writer, including those of the current commit.
    package mutating func deadline(at now: Int64, pending: Int, commits: Int) -> Int64? {
        if commits != self.commits {
            self.commits = commits
            progressAt = now
        }
        guard pending > 0, now < end, now - progressAt < Limits.stopStalledMilliseconds else { return nil }
        return min(end, now + 1500)
    }
}
