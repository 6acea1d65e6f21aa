package import JSON
package import Model
import Store

/// Takes away streams that nobody needs any more, a bounded number of them at a time: topics that nobody follows any more
/// and whose events have gone, paths that were watched where there is nothing.
///
/// After its commit, or when it has failed, ``WatchedPaths/settleLeaving()`` must follow.
///
/// - Confinement: any
package struct SweepStreams: WriteUseCase {
    private let after: StreamID
    private let watched: WatchedPaths

    /// - Parameters:
    ///   - after: where the sweep before has ended.
    ///   - watched: what sessions watch.
    package init(after: StreamID, watched: WatchedPaths) {
        self.after = after
        self.watched = watched
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        let from = try transaction.retention.from()
        let candidates = try transaction.streamSweep.candidates(after: after, limit: Limits.sweptStreamsMax)
        var deleted: Int64 = 0
        for candidate in candidates where try !transaction.streamSweep.isNeeded(candidate, retainedFrom: from) {
            if candidate.isPath, !watched.markLeaving(candidate.name) { continue }
            try transaction.streamSweep.delete(candidate)
            deleted += 1
        }
        if deleted > 0 { context.watched.forget() }
        reply.member("deleted", deleted)
        // Zero: from the beginning again.
        reply.member("next", candidates.count == Limits.sweptStreamsMax ? candidates[candidates.count - 1].id.value : 0)
    }
}

extension SweepCandidate {
    /// Whether it is the stream of a path that can be watched, rather than of a topic. No topic's text has a slash before
    /// its colon.
    fileprivate var isPath: Bool { name.hasPrefix("document/") || name.hasPrefix("documents/") }
}
