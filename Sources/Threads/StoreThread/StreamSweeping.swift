import Execution
import Model
import Services
import Store

/// How far the writer has come with looking for streams that nobody needs.
///
/// - Confinement: any
struct StreamSweeping {
    private let watched: WatchedPaths
    private let isMember: Bool
    private var after = StreamID.nobody

    /// - Parameters:
    ///   - watched: what sessions of this node watch.
    ///   - isMember: whether there are other nodes.
    init(watched: WatchedPaths, isMember: Bool) {
        self.watched = watched
        self.isMember = isMember
    }

    var useCase: SweepStreams { SweepStreams(after: after, watched: watched, isMember: isMember) }

    /// Whether there is a stream to be looked at; if not, the next look begins with the first one.
    mutating func isDue(in transaction: Transaction) throws -> Bool {
        let isDue = try !transaction.streamSweep.candidates(after: after, limit: 1).isEmpty
        if !isDue { after = StreamID.nobody }
        return isDue
    }

    /// The step is committed, or it failed: then paths stay, and it is done again.
    ///
    /// - Parameter answer: of ``useCase``; nil when it failed.
    /// - Returns: whether something went, so that more should be looked at at once.
    mutating func settle(_ answer: EncodedAnswer?) -> Bool {
        watched.settleLeaving()
        guard case .swept(let count, let next) = answer?.fact else { return false }
        after = next
        return count > 0
    }
}
