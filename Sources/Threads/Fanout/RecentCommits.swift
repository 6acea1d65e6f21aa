package import DequeModule
package import Model

/// The last commits that this loop has delivered, for sessions that read the log up to an earlier position.
///
/// A session that has read the log up to position H becomes live by getting the commits after H from here. There is no
/// gap and no repeat, however fast commits follow each other. The number of steps is bounded. A session that read so
/// slowly that H is no longer here reads another page.
///
/// A generic type is not specialised in another module, and without that a delivery alone costs a tenth more. So the
/// kind of step that the gateway keeps is named here.
///
/// - Confinement: loop
package struct RecentCommits<Step: Sendable> {
    /// One commit: its steps, and the head of the log after it.
    package struct Commit {
        package let head: Position
        package let steps: [Step]
        fileprivate let cost: Int
    }

    /// Several consecutive commits.
    package typealias Commits = Slice<Deque<Commit>>

    private var commits: Deque<Commit> = []
    private var cost = 0
    private let stepsMax: Int
    /// All commits after this position are here.
    package private(set) var from: Position
    /// This loop has delivered everything up to here.
    package private(set) var head: Position

    /// - Parameters:
    ///   - head: The head of the log when the loop starts.
    ///   - stepsMax: The most steps to keep; each commit counts as one more. The newest commit is always kept.
    package init(head: Position, stepsMax: Int = 20_000) {
        from = head
        self.head = head
        self.stepsMax = stepsMax
    }

    /// Keeps a delivered commit.
    ///
    /// - Parameter stepsCost: The number of steps that it counts as, when some take much memory; nil for their real
    ///   number.
    @_specialize(where Step == KeptStep)
    package mutating func append(_ steps: [Step], head: Position, stepsCost: Int? = nil) {
        // One more for the commit itself, so that commits without steps are bounded, too.
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

    /// The commits with something after `position`; nil if some of them are no longer here.
    @_specialize(where Step == KeptStep)
    package func after(_ position: Position) -> Commits? {
        guard position >= from else { return nil }
        // Usually few commits are newer, so the search begins at the newest.
        guard position < head else { return commits[commits.endIndex...] }
        var start = commits.count
        while start > 0, commits[start - 1].head > position { start -= 1 }
        return commits[start...]
    }
}
