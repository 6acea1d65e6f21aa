import Fanout
import Model
import ThreadMessages

/// How far one loop has delivered the log, and the last commits that it delivered.
///
/// - Confinement: loop
final class DeliveredLog {
    private var recent: RecentCommits<KeptStep>
    /// The newest position that was delivered, also of the commit that is being delivered.
    private(set) var deliveredUpTo: Position
    /// The head of the log after the last commit that came, also when that is still being delivered.
    var arriving: Position

    /// - Parameter head: of the log when the loop starts.
    init(head: Position) {
        recent = RecentCommits(head: head)
        (deliveredUpTo, arriving) = (head, head)
    }

    /// The head of the log after the last commit that was delivered whole.
    var head: Position { recent.head }

    /// The commits that contain something after `position`; nil if some of them are no longer held.
    func after(_ position: Position) -> RecentCommits<KeptStep>.Commits? { recent.after(position) }

    /// A publication of a commit is being delivered.
    func delivering(_ position: Position) { deliveredUpTo = position }

    /// Keeps a commit that was delivered.
    ///
    /// - Parameter cost: the number of steps that it counts as.
    func append(_ steps: [KeptStep], head: Position, cost: Int) {
        recent.append(steps, head: head, stepsCost: cost)
        deliveredUpTo = max(deliveredUpTo, head)
    }
}

@available(*, unavailable)
extension DeliveredLog: Sendable {}
