package import Log
package import Model

// The rows of subjects that go with entries of the log.
extension LogRetention where Access == WriteAccess {
    /// Trims the log up to a position; `since` before it cannot be resumed from any more.
    ///
    /// - Returns: the number of entries that went.
    package func trim(upTo position: Position) throws -> Int {
        try EntryStreamTable(access: access).trim(from: from(), upTo: position)
        return try trimEntries(upTo: position)
    }

    /// Forgets at most `limit` failures of triggers on changes up to a position; dead webhooks have times of their own.
    ///
    /// - Returns: how many there were.
    package func deleteDead(upTo position: Position, limit: Int) throws -> Int {
        try access.change(
            """
            DELETE FROM dead WHERE id IN
            (SELECT id FROM dead WHERE job IS NULL AND change <= ? ORDER BY change, id LIMIT ?)
            """,
            [position.value, limit]
        )
    }

    /// Forgets notifications that were taken away up to a position, with their marks and their broadcasts.
    ///
    /// A notification that many have seen or archived goes when its marks have gone; the newest broadcast stays, and its
    /// notification with it: the next one's number follows from it.
    ///
    /// A snoozed notification stays until it has come back.
    ///
    /// - Parameter limit: of the rows that go.
    /// - Returns: how many went.
    package func deleteRemovedNotifications(upTo position: Position, limit: Int) throws -> Int {
        var left = limit
        let removed = try access.all(
            """
            SELECT seq, broadcast FROM notifications WHERE removed_at <= ?
            AND NOT EXISTS (SELECT 1 FROM snoozes WHERE snoozes.seq = notifications.seq)
            AND broadcast IS NOT (SELECT coalesce(max(id), 0) FROM broadcasts) ORDER BY removed_at, seq LIMIT ?
            """,
            [position.value, limit]
        ) { row -> (Int64, Int64?) in try (row[0], row.optional(1)) }
        for (seq, broadcast) in removed where left > 0 {
            for marks in ["seen", "archived"] {
                left -= try access.change(
                    """
                    DELETE FROM \(marks) WHERE (user, seq) IN
                    (SELECT user, seq FROM \(marks) WHERE seq = ? ORDER BY user LIMIT ?)
                    """,
                    [seq, left]
                )
            }
            guard left > 0 else { break }
            try EntryStreamTable(access: access).delete(Position(seq))
            try access.run("DELETE FROM notifications WHERE seq = ?", [seq])
            if let broadcast {
                // One that went by the recipients' clocks has others; the row names the newest.
                let gone = try access.change(
                    "DELETE FROM broadcasts WHERE id = ? AND seq = ? AND due IS NULL", [broadcast, seq])
                if gone > 0 { try access.run("DELETE FROM broadcast_people WHERE broadcast = ?", [broadcast]) }
            }
            left -= 1
        }
        return limit - left
    }

    /// Forgets broadcasts that were written up to a position and have no notification: to those who were online, or
    /// cancelled before their time. The newest stays.
    ///
    /// - Returns: how many went.
    package func deleteUnwrittenBroadcasts(upTo position: Position, limit: Int) throws -> Int {
        let unwritten = """
            IN (SELECT id FROM broadcasts WHERE (audience = 'online' OR sent IS NULL) AND seq <= ? AND due IS NULL
            AND id <> (SELECT max(id) FROM broadcasts) ORDER BY seq, id LIMIT ?)
            """
        try access.run("DELETE FROM broadcast_people WHERE broadcast \(unwritten)", [position.value, limit])
        return try access.change("DELETE FROM broadcasts WHERE id \(unwritten)", [position.value, limit])
    }
}
