import Model
import Store

/// The changes of watched documents in the log, for a session that reads from the log.
///
/// - Confinement: store
enum WatchedChanges {
    /// The positions of a user's events and of changes that the user watches, ascending and each once, at most `limit`.
    ///
    /// - Parameter own: the positions of the user's events, ascending.
    static func merged(
        _ own: [Position],
        _ watched: [WatchedStream],
        after position: Position,
        limit: Int,
        in transaction: Transaction
    ) throws -> [Position] {
        guard !watched.isEmpty else { return own }
        // A change of a document that is watched alone and with its collection counts once.
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
        // If the session has got only some pages of a collection, only the changes of their documents count.
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
