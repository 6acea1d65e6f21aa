import JSON
import Model
import Services
import Store

/// How far the writer has come with looking for streams that nobody needs.
///
/// - Confinement: any
struct StreamSweeping {
    private let watched: WatchedPaths
    private var after = StreamID.nobody

    init(watched: WatchedPaths) { self.watched = watched }

    var useCase: SweepStreams { SweepStreams(after: after, watched: watched) }

    /// Whether there is a stream to be looked at; if not, the next look begins with the first one.
    mutating func isDue(in transaction: Transaction) throws -> Bool {
        let isDue = try !transaction.streamSweep.candidates(after: after, limit: 1).isEmpty
        if !isDue { after = .nobody }
        return isDue
    }

    /// The step is committed, or it failed: then paths stay, and it is done again.
    ///
    /// - Parameter answer: of ``useCase``; nil when it failed.
    /// - Returns: whether something went, so that more should be looked at at once.
    mutating func settle(_ answer: [UInt8]?) -> Bool {
        watched.settleLeaving()
        guard let answer, let report = try? JSONValue(parsing: answer), let next = report["next"]?.integerValue else {
            return false
        }
        after = StreamID(stored: next)
        return report["deleted"]?.integerValue ?? 0 > 0
    }
}
