import GRDB
package import Model

/// What the digests tell of that stand in inboxes: when one of these notifications is taken back or replaced, the digest
/// is written anew.
extension DigestTable {
    /// The digest of a subject tells of the notifications at these positions, and of no others.
    package func setEntries(_ positions: [Position], of user: StreamID, _ subject: String) throws {
        try database.run("DELETE FROM digest_entries WHERE user = ? AND subject = ?", [user.value, subject])
        for position in positions {
            try database.run(
                "INSERT INTO digest_entries(user, subject, seq) VALUES (?, ?, ?)",
                [user.value, subject, position.value]
            )
        }
    }

    /// What the standing digest of a subject tells of, the newest first.
    package func entries(of user: StreamID, _ subject: String) throws -> [Position] {
        try database.all(
            "SELECT seq FROM digest_entries WHERE user = ? AND subject = ? ORDER BY seq DESC",
            [user.value, subject]
        ) { try Position($0[0]) }
    }

    /// Has the digests that tell of a notification be written anew, soon: there may be one for each of its readers.
    package func revise(without position: Position) throws {
        try database.run(
            """
            INSERT OR IGNORE INTO digest_revisions(seq)
            SELECT ?1 WHERE EXISTS (SELECT 1 FROM digest_entries WHERE seq = ?1)
            """,
            [position.value]
        )
    }

    /// The notification that was taken away first among those that digests still tell of.
    package func nextRevision() throws -> Position? {
        try database.first("SELECT min(seq) FROM digest_revisions") { row -> Int64? in try row.optional(0) }
            .flatMap { $0.map(Position.init) }
    }

    /// No digest tells of the notification any more.
    package func endRevision(without position: Position) throws {
        try database.run("DELETE FROM digest_revisions WHERE seq = ?", [position.value])
    }

    /// At most `limit` digests that tell of the notification at a position.
    package func telling(of position: Position, limit: Int) throws -> [(user: StreamID, subject: String)] {
        try database.all(
            "SELECT user, subject FROM digest_entries WHERE seq = ? LIMIT ?",
            [position.value, limit]
        ) { (try StreamID($0[0]), try $0[1]) }
    }

    /// Forgets at most `limit` of what they tell of, up to a position.
    ///
    /// - Returns: how many there were.
    package func deleteEntries(upTo position: Position, limit: Int) throws -> Int {
        try database.run(
            """
            DELETE FROM digest_entries WHERE (user, subject, seq) IN
            (SELECT user, subject, seq FROM digest_entries WHERE seq <= ? ORDER BY seq LIMIT ?)
            """,
            [position.value, limit]
        )
        return database.changesCount
    }
}
