package import Log
package import Model

/// Notifications and who has seen them.
///
/// A user sees those of the own inbox, those of followed topics since the follow began, and those to everyone since the
/// user was known.
///
/// - Confinement: store
package struct NotificationTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    package init(access: Access) { self.access = access }

    /// The notification at a position; nil when there is none, or it was taken away.
    package func find(_ position: Position) throws -> NotificationEntry? {
        try access.first(
            NotificationEntry.query + " WHERE n.seq = ? AND n.removed IS NULL",
            [position.value],
            NotificationEntry.init
        )
    }

    /// The notification that was written at a position, also if it was taken away since.
    package func findWritten(at position: Position) throws -> NotificationEntry? {
        try access.first(
            NotificationEntry.query + " WHERE n.seq = ?",
            [position.value],
            NotificationEntry.init
        )
    }

    /// Whether a trigger has already notified a stream of a change, also if that was taken away since.
    package func exists(trigger: String, change: Position, in stream: StreamID) throws -> Bool {
        try access.number(
            """
            SELECT EXISTS(SELECT 1 FROM notifications n WHERE trigger = ?1 AND change = ?2 AND (stream = ?3
            OR others IS NOT NULL AND EXISTS (SELECT 1 FROM entry_streams e WHERE e.stream = ?3 AND e.seq = n.seq)))
            """,
            [trigger, change.value, stream.value]
        ) > 0
    }

    /// At most `limit` live notifications whose time is over, the oldest first.
    package func expired(at now: Timestamp, limit: Int) throws -> [NotificationEntry] {
        try access.all(
            """
            \(NotificationEntry.query)
            WHERE n.removed IS NULL AND n.expires IS NOT NULL AND n.expires <= ? ORDER BY n.expires, n.seq LIMIT ?
            """,
            [now.milliseconds, limit],
            NotificationEntry.init
        )
    }

    /// The live notification that a new one with the same collapse key replaces.
    package func find(collapse: String, in stream: StreamID) throws -> NotificationEntry? {
        try access.first(
            """
            \(NotificationEntry.query)
            WHERE n.stream = ? AND n.collapse = ? AND n.removed IS NULL ORDER BY n.seq DESC LIMIT 1
            """,
            [stream.value, collapse],
            NotificationEntry.init
        ) ?? shared(collapse: collapse, in: stream).first
    }

    /// The same among those that lie in the stream beside others, the newest first: one for each group of time zones.
    package func shared(collapse: String, in stream: StreamID) throws -> [NotificationEntry] {
        guard try EntryStreamTable(access: access).hasAny(in: stream) else { return [] }
        return try access.all(
            """
            SELECT \(NotificationEntry.columns) FROM entry_streams e JOIN notifications n ON n.seq = e.seq
            WHERE e.stream = ? AND n.collapse = ? AND n.removed IS NULL ORDER BY e.seq DESC
            """,
            [stream.value, collapse],
            NotificationEntry.init
        )
    }

    /// The live notifications of a trigger that notifies each person once across topics, with the same collapse key.
    package func live(acrossTopics trigger: String, collapse: String) throws -> [NotificationEntry] {
        try access.all(
            """
            SELECT \(NotificationEntry.columns) FROM told_across t JOIN notifications n ON n.seq = t.seq
            WHERE t.trigger = ? AND t.collapse = ? AND n.removed IS NULL ORDER BY t.seq
            """,
            [trigger, collapse],
            NotificationEntry.init
        )
    }

    /// The live notifications that come from changes of a document, the oldest first.
    ///
    /// - Parameter trigger: only those of this one.
    package func live(from path: String, by trigger: String? = nil) throws -> [NotificationEntry] {
        try access.all(
            """
            \(NotificationEntry.query)
            WHERE n.path = ?1 AND n.removed IS NULL AND (?2 IS NULL OR n.trigger = ?2) ORDER BY n.seq
            """,
            [path, trigger],
            NotificationEntry.init
        )
    }

    /// The live notifications in one stream that come from documents whose paths begin with `prefix`, the oldest first.
    ///
    /// - Parameter prefix: ends in a character of ASCII, such as `/`.
    package func live(under prefix: String, in stream: StreamID) throws -> [NotificationEntry] {
        guard let last = prefix.unicodeScalars.last, last.value < 0x7f, let next = Unicode.Scalar(last.value + 1) else {
            return []
        }
        let end = String(prefix.dropLast()) + String(Character(next))
        return try access.all(
            """
            \(NotificationEntry.query) INDEXED BY notifications_inbox_path
            WHERE n.path >= ? AND n.path < ? AND n.path IS NOT NULL AND n.removed IS NULL AND n.stream = ?
            ORDER BY n.seq
            """,
            [prefix, end, stream.value],
            NotificationEntry.init
        )
    }
}

extension NotificationTable where Access == WriteAccess {
    /// Adds a row; false when the same trigger has already notified the same stream of the same change.
    package func insert(_ entry: NotificationEntry) throws -> Bool {
        var input = StatementInput(access.subjects.statements.insertNotification, noting: access.recorder)
        entry.bind(to: &input)
        try input.run()
        guard access.changesCount > 0 else { return false }
        if entry.isAcrossTopics, let trigger = entry.trigger, let collapse = entry.collapse {
            try EntryStreamTable(access: access).insert(entry.position, across: trigger, collapse: collapse)
        }
        return true
    }

    /// Takes a notification away, for the reason that the event names.
    ///
    /// - Parameter removal: the position of that event.
    package func remove(_ position: Position, reason: String, at removal: Position) throws {
        try access.run(
            "UPDATE notifications SET removed = ?, removed_at = ? WHERE seq = ?",
            [reason, removal.value, position.value]
        )
    }

    /// Takes the words from all notifications that come from changes of a document, also from those that were taken away: a
    /// device that was away gets each of them before its removal.
    ///
    /// - Parameter texts: in place of theirs, as JSON.
    package func blank(from path: String, texts: String) throws {
        for condition in ["removed IS NULL", "removed IS NOT NULL"] {
            try access.run(
                "UPDATE notifications SET texts = ?, data = '{}' WHERE path = ? AND path IS NOT NULL AND \(condition)",
                [texts, path])
        }
    }

    /// Takes the words from one notification.
    package func blank(_ position: Position, texts: String) throws {
        try access.run(
            "UPDATE notifications SET texts = ?, data = '{}' WHERE seq = ?", [texts, position.value])
    }

    /// `user` has seen the one notification at `position`; again is no error.
    package func setSeen(_ position: Position, by user: StreamID) throws {
        try access.run("INSERT OR IGNORE INTO seen(user, seq) VALUES (?, ?)", [user.value, position.value])
    }

    /// The notification at `position` is not for these users, who block its writer. It counts as seen by them.
    package func withhold(_ position: Position, from users: [StreamID]) throws {
        for user in users {
            try access.run("INSERT INTO withheld(seq, user) VALUES (?, ?)", [position.value, user.value])
            try setSeen(position, by: user)
        }
    }

    /// Forgets single marks that a mark up to `position` covers.
    package func deleteSeen(upTo position: Position, by user: StreamID) throws {
        try access.run("DELETE FROM seen WHERE user = ? AND seq <= ?", [user.value, position.value])
    }
}
