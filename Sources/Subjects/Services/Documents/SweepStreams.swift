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
    private let watched: WatchedPaths?

    /// - Parameters:
    ///   - after: the end of the sweep before.
    ///   - watched: the paths that sessions watch; nil where sessions of other nodes may watch more: then paths stay.
    package init(after: StreamID, watched: WatchedPaths?) {
        self.after = after
        self.watched = watched
    }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let transaction = context.transaction
        let from = try transaction.retention.from()
        let candidates = try transaction.streamSweep.candidates(after: after, limit: Limits.sweptStreamsMax)
        var deleted = 0
        for candidate in candidates where try !transaction.streamSweep.isNeeded(candidate, retainedFrom: from) {
            if candidate.isPath, watched?.markLeaving(candidate.name) != true { continue }
            try transaction.streamSweep.delete(candidate)
            deleted += 1
        }
        if deleted > 0 { context.watched.forget() }
        let last = candidates.count == Limits.sweptStreamsMax ? candidates.last : nil
        return .swept(count: deleted, next: last?.id ?? .nobody)
    }
}

extension SweepCandidate {
    /// Whether it is the stream of a path that can be watched, rather than of a topic. No topic's text has a slash before
    /// its colon.
    fileprivate var isPath: Bool { name.hasPrefix("document/") || name.hasPrefix("documents/") }
}
