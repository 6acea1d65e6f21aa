import Log
package import Model
package import Store

/// Notifications of one document that have the same words: one trigger has rendered them for one change.
///
/// - Confinement: any
package struct RenderedTogether: Sendable {
    package let trigger: String?
    /// Nil for copies that came back after they had been snoozed.
    package let change: Position?
    /// When the first of them was written.
    package let at: Timestamp
}

// The words of notifications whose document was edited.
extension NotificationTable {
    /// The notifications that come from changes of a document, in groups of the same words; also those that were taken away,
    /// because a device that was away gets each of them before its removal.
    package func renderedTogether(from path: String) throws -> [RenderedTogether] {
        let half = "SELECT trigger, change, at FROM notifications WHERE path = ?1 AND path IS NOT NULL AND removed IS"
        return try access.all(
            """
            SELECT trigger, change, min(at) FROM (\(half) NULL UNION ALL \(half) NOT NULL)
            GROUP BY trigger, change ORDER BY trigger, change
            """,
            [path]
        ) { try RenderedTogether(trigger: $0.optional(0), change: $0.optional(1), at: $0[2]) }
    }

    /// The readers for whom a notification in a stream that many read is not: they block its writer, or have one of their own.
    func readersWithout(_ entry: NotificationEntry) throws -> [StreamID] {
        guard entry.isBesidePersonal else { return [] }
        return try access.all(
            """
            SELECT user FROM withheld WHERE seq = ?1 UNION
            SELECT stream FROM notifications WHERE trigger = ?2 AND change = ?3 AND seq <> ?1 ORDER BY 1
            """,
            [entry.position.value, entry.trigger, entry.change?.value]
        ) { try $0[0] }
    }
}

extension NotificationTable where Access == WriteAccess {
    /// Gives a group of notifications other words.
    func rewrite(_ group: RenderedTogether, from path: String, texts: String, data: String) throws {
        for condition in ["removed IS NULL", "removed IS NOT NULL"] {
            try access.run(
                """
                UPDATE notifications SET texts = ?1, data = ?2 WHERE path = ?3 AND path IS NOT NULL AND \(condition)
                AND trigger IS ?4 AND change IS ?5 AND (texts <> ?1 OR data <> ?2)
                """,
                [texts, data, path, group.trigger, group.change?.value])
        }
    }

    /// Takes the words from the digests that were replaced or taken away and may have listed a notification of a document: a
    /// device that was away gets each of them before its removal.
    ///
    /// It looks at what was taken away since, if a digest has collected such a notification in an inbox.
    package func blankDigests(listing path: String) throws {
        let half = "FROM notifications WHERE path = ?1 AND path IS NOT NULL AND removed IS"
        let collected = ["NULL", "NOT NULL"]
            .map { "SELECT stream, seq \(half) \($0) AND silence IN ('digest', 'quiet-hours')" }
            .joined(separator: " UNION ALL ")
        let all = try access.all("SELECT stream, min(seq) FROM (\(collected)) GROUP BY stream ORDER BY stream", [path])
        {
            (try $0[0] as StreamID, try $0[1] as Position)
        }
        for (stream, position) in all {
            try access.run(
                """
                UPDATE notifications SET texts = ?, data = '{}'
                WHERE seq > ? AND removed IS NOT NULL AND stream = ? AND kind = ?
                """,
                [StoredTexts.none.json, position.value, stream.value, Digest.kind])
        }
    }
}
