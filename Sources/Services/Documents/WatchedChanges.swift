import Model
import Store

/// The changes of watched documents in the log, for a session that reads on from there.
///
/// - Confinement: store
enum WatchedChanges {
    /// The positions of a user's events and of what he watches, ascending and each once, at most `limit`.
    ///
    /// - Parameter own: those of the user's events, ascending.
    static func merged(
        _ own: [Position],
        _ watched: [WatchedStream],
        after position: Position,
        limit: Int,
        in transaction: Transaction
    ) throws -> [Position] {
        guard !watched.isEmpty else { return own }
        // A document that is watched alone and with its collection is one change.
        var positions = Set(own)
        for stream in watched {
            positions.formUnion(try changes(of: stream, after: max(position, stream.from), limit, transaction))
        }
        return Array(positions.sorted().prefix(limit))
    }

    private static func changes(
        of watched: WatchedStream,
        after position: Position,
        _ limit: Int,
        _ transaction: Transaction
    ) throws -> [Position] {
        let streams = transaction.documentStreams
        guard !watched.isDocument else {
            return try streams.changes(ofDocument: watched.stream, after: position, limit: limit)
        }
        guard watched.through != nil else {
            return try streams.changes(ofCollection: watched.stream, after: position, limit: limit)
        }
        // Of a collection of which only some pages are handed out, only changes of their documents count.
        var admitted: [Position] = []
        var from = position
        while true {
            let some = try streams.changes(ofCollection: watched.stream, after: from, limit: limit)
            for position in some {
                guard case .event(let json) = try transaction.log.entry(at: position).content else { continue }
                if watched.admits(try WatchedDocument(logged: json).id) { admitted.append(position) }
            }
            guard some.count == limit, admitted.count < limit, let last = some.last else { return admitted }
            from = last
        }
    }
}
