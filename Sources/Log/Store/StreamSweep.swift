package import Log
package import Model

/// A stream that may be needed no more.
///
/// - Confinement: any
package struct SweepCandidate: Sendable, Hashable {
    package let id: StreamID
    /// The text of a topic, `document/PATH` or `documents/COLLECTION`.
    package let name: String
    /// Position of the newest event of a topic; of a path's stream, where it began.
    package let last: Position
}

/// The streams that nobody needs any more: topics without followers whose notifications have gone, and paths of
/// documents that nobody watches.
///
/// The stream with the highest number always stays, so that no number is ever given twice: sessions know streams by
/// number.
///
/// - Confinement: store
package struct StreamSweep<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// At most `limit` streams with numbers above `after` that nobody follows, ascending; inboxes are not among them.
    package func candidates(after: StreamID, limit: Int) throws -> [SweepCandidate] {
        try access.all(
            """
            SELECT id, name, last FROM streams
            WHERE followers = 0 AND substr(name, 1, 1) <> '@' AND id > max(?, ?) AND id < (SELECT max(id) FROM streams)
            ORDER BY id LIMIT ?
            """,
            [after.value, StreamID.everyone.value, limit]
        ) { try SweepCandidate(id: $0[0], name: $0[1], last: $0[2]) }
    }

    /// Whether a stream still leads to something, apart from those who watch it.
    ///
    /// - Parameter from: the log holds the entries after this position.
    package func isNeeded(_ candidate: SweepCandidate, retainedFrom from: Position) throws -> Bool {
        if candidate.name.hasPrefix("documents/") { return try holds(candidate.name.dropFirst(10), candidate.id) }
        if candidate.name.hasPrefix("document/") {
            return try candidate.last > from && exists(document: candidate.name.dropFirst(9))
        }
        // The log, and the follows that have ended, lead to its events.
        if candidate.last > from { return true }
        return try access.number(
            """
            SELECT EXISTS(SELECT 1 FROM follows WHERE stream = ?1)
            OR EXISTS(SELECT 1 FROM past_follows WHERE stream = ?1)
            OR EXISTS(SELECT 1 FROM notifications WHERE stream = ?1 AND removed IS NULL)
            OR EXISTS(SELECT 1 FROM entry_streams WHERE stream = ?1)
            """,
            [candidate.id.value]
        ) == 1
    }

    private func exists(document path: Substring) throws -> Bool {
        try access.number("SELECT EXISTS(SELECT 1 FROM documents WHERE path = ?)", [String(path)]) == 1
    }

    /// Whether there are documents in a collection, or changes of them in the log.
    private func holds(_ collection: Substring, _ stream: StreamID) throws -> Bool {
        try access.number(
            """
            SELECT EXISTS(SELECT 1 FROM documents WHERE collection = ?1 AND body IS NOT NULL)
            OR EXISTS(SELECT 1 FROM changes WHERE stream = ?2 AND n IS NULL)
            """,
            [String(collection), stream.value]
        ) == 1
    }
}

extension StreamSweep where Access == WriteAccess {
    /// Takes a stream away.
    package func delete(_ candidate: SweepCandidate) throws {
        try access.run("DELETE FROM streams WHERE id = ?", [candidate.id.value])
    }
}
