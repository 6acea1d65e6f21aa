package import DequeModule
package import Model

/// The last commits that this loop has delivered, for sessions that read the log up to an earlier position.
///
/// A session that has read the log up to H becomes live by getting the commits after H from here: no gap and no
/// repeat, however fast commits follow each other. Bounded by steps; a session that read so slowly that its H has
/// already left reads another page.
///
/// - Confinement: loop
package struct RecentCommits<Step: Sendable> {
    /// One commit: its steps, and the head of the log after it.
    package struct Commit {
        package let head: Position
        package let steps: [Step]
        fileprivate let cost: Int
    }

    /// Some that follow each other.
    package typealias Commits = Slice<Deque<Commit>>

    private var commits: Deque<Commit> = []
    private var cost = 0
    private let stepsMax: Int
    /// All commits after this position are held.
    package private(set) var from: Position
    /// Up to here this loop has delivered.
    package private(set) var head: Position

    /// - Parameters:
    ///   - head: of the log when the loop starts.
    ///   - stepsMax: kept at most, a commit counting as one more; the newest commit is kept always.
    package init(head: Position, stepsMax: Int = 20_000) {
        from = head
        self.head = head
        self.stepsMax = stepsMax
    }

    /// Keeps a commit that was delivered.
    ///
    /// - Parameter stepsCost: as how many steps they count, where some take much memory; their number when nil.
    package mutating func append(_ steps: [Step], head: Position, stepsCost: Int? = nil) {
        // One for the commit itself: those without steps are bounded too.
        let more = 1 + (stepsCost ?? steps.count)
        commits.append(Commit(head: head, steps: steps, cost: more))
        self.head = max(self.head, head)
        cost += more
        while cost > stepsMax, commits.count > 1 {
            let dropped = commits.removeFirst()
            cost -= dropped.cost
            from = dropped.head
        }
    }

    /// The commits that contain something after `position`; nil if some of them are no longer held.
    package func after(_ position: Position) -> Commits? {
        guard position >= from else { return nil }
        // Mostly nothing or little was committed since, so the search begins at the newest.
        guard position < head else { return commits[commits.endIndex...] }
        var start = commits.count
        while start > 0, commits[start - 1].head > position { start -= 1 }
        return commits[start...]
    }
}
