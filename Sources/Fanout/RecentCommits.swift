package import Model

/// The last commits that this loop has delivered, for sessions that read the log up to a position behind them.
///
/// A session that has read the log up to H becomes live by getting from here what was committed behind H: no gap and no
/// repeat, however fast commits follow each other. Bounded by steps; a session that read so slowly that its H has
/// already left reads another page.
///
/// - Confinement: loop
package struct RecentCommits<Step: Sendable> {
    /// One commit: its steps, and the log's head behind it.
    package struct Commit {
        package let head: Position
        package let steps: [Step]
        fileprivate let cost: Int
    }

    private var commits: [Commit] = []
    private var first = 0
    private var cost = 0
    private let stepsMax: Int
    /// Everything committed behind this position is held.
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
        while cost > stepsMax, first < commits.count - 1 {
            let dropped = commits[first].head
            cost -= commits[first].cost
            // The place is given back later; what the steps hold is let go now.
            commits[first] = Commit(head: dropped, steps: [], cost: 0)
            from = dropped
            first += 1
        }
        // Moving the array is paid once for as many commits as it holds.
        if first > 1024, first * 2 > commits.count {
            commits.removeFirst(first)
            first = 0
        }
    }

    /// The commits that contain something behind `position`; nil when some of them are no longer held.
    package func after(_ position: Position) -> ArraySlice<Commit>? {
        guard position >= from else { return nil }
        // Mostly nothing or little was committed since, so the search begins at the newest.
        guard position < head else { return [] }
        var start = commits.count
        while start > first, commits[start - 1].head > position { start -= 1 }
        return commits[start...]
    }
}
