package import Execution
package import Model
import Store

/// Deletes streams that nobody needs any more, a bounded number at a time: topics without followers whose events are
/// gone, and paths without documents that were watched.
///
/// After its commit, or when it has failed, ``WatchedPaths/settleLeaving()`` must follow.
///
/// - Confinement: any
package struct SweepStreams: WriteUseCase {
    private let after: StreamID
    private let watched: WatchedPaths
    private let isMember: Bool

    /// - Parameters:
    ///   - after: the end of the sweep before.
    ///   - watched: the paths that sessions of this node watch.
    ///   - isMember: whether sessions of other nodes may watch more. These watch again, so that a path goes once a day at most.
    package init(after: StreamID, watched: WatchedPaths, isMember: Bool = false) {
        self.after = after
        self.watched = watched
        self.isMember = isMember
    }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let transaction = context.transaction
        let from = try transaction.retention.from()
        let candidates = try transaction.streamSweep.candidates(after: after, limit: Limits.sweptStreamsMax)
        var deleted = 0
        for candidate in candidates where try !transaction.streamSweep.isNeeded(candidate, retainedFrom: from) {
            if candidate.isPath {
                guard try mayGo(candidate, retainedFrom: from, in: context) else { continue }
                transaction.note(.unlogged(candidate.id))
            }
            try transaction.streamSweep.delete(candidate)
            deleted += 1
        }
        if deleted > 0 { context.watched.forget() }
        let last = candidates.count == Limits.sweptStreamsMax ? candidates.last : nil
        return .swept(count: deleted, next: last?.id ?? .nobody)
    }

    private func mayGo(
        _ path: SweepCandidate, retainedFrom from: Position, in context: WriteContext
    ) throws -> Bool {
        if isMember, path.last > from {
            let began = try context.transaction.retention.firstMark(from: path.last)
            guard let began, began.at.adding(milliseconds: DocumentLimits.pathMilliseconds) <= context.now else {
                return false
            }
        }
        return watched.markLeaving(path.name)
    }
}

extension SweepCandidate {
    /// Whether it is the stream of a path that can be watched, rather than of a topic. No topic's text has a slash before
    /// its colon.
    fileprivate var isPath: Bool { name.hasPrefix("document/") || name.hasPrefix("documents/") }
}
