import Log
package import Model

// The notifications that the digests in inboxes are about: when one of them is taken back or replaced, the digest is
// written again.
extension DigestTable {
    /// The notifications that the standing digest of a subject is about, the newest first.
    package func entries(of user: StreamID, _ subject: String) throws -> [Position] {
        try access.all(
            "SELECT seq FROM digest_entries WHERE user = ? AND subject = ? ORDER BY seq DESC",
            [user.value, subject]
        ) { try $0[0] }
    }

    /// The first of the notifications that were taken away and that digests are still about.
    package func nextRevision() throws -> Position? {
        try access.value("SELECT min(seq) FROM digest_revisions")
    }

    /// At most `limit` digests about the notification at a position.
    package func telling(of position: Position, limit: Int) throws -> [(user: StreamID, subject: String)] {
        try access.all(
            "SELECT user, subject FROM digest_entries WHERE seq = ? LIMIT ?",
            [position.value, limit]
        ) { (try $0[0], try $0[1]) }
    }
}

extension DigestTable where Access == WriteAccess {
    /// The digest of a subject is about the notifications at these positions, and about no others.
    package func setEntries(_ positions: [Position], of user: StreamID, _ subject: String) throws {
        try access.run("DELETE FROM digest_entries WHERE user = ? AND subject = ?", [user.value, subject])
        for position in positions {
            try access.run(
                "INSERT INTO digest_entries(user, subject, seq) VALUES (?, ?, ?)",
                [user.value, subject, position.value]
            )
        }
    }

    /// Queues the digests about a notification to be written again: there may be one for each of its readers.
    package func revise(without position: Position) throws {
        try access.run(
            """
            INSERT OR IGNORE INTO digest_revisions(seq)
            SELECT ?1 WHERE EXISTS (SELECT 1 FROM digest_entries WHERE seq = ?1)
            """,
            [position.value]
        )
    }

    /// No digest is about the notification any more.
    package func endRevision(without position: Position) throws {
        try access.run("DELETE FROM digest_revisions WHERE seq = ?", [position.value])
    }
}
