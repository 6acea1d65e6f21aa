package import Log
package import Model

/// The number of notifications that a user with many follows has not seen.
///
/// - Confinement: any
private struct TopicCount {
    /// The position as of which the row counts.
    let upTo: Position
    let unread: Int64

    /// Whether user ?1, known since ?4, reads notification `n` by a follow or among everyone, and has not seen it.
    static let isUnread = """
        (n.stream = \(StreamSQL.everyone) AND n.seq > ?4 OR EXISTS
         (SELECT 1 FROM follows WHERE follows.follower = ?1 AND follows.stream = n.stream AND follows.since < n.seq)
         OR n.others IS NOT NULL AND \(NotificationEntry.isFor(user: "?1")) AND EXISTS
         (SELECT 1 FROM entry_streams e LEFT JOIN follows ON follows.follower = ?1 AND follows.stream = e.stream
          WHERE e.seq = n.seq AND (follows.since < n.seq OR e.stream = \(StreamSQL.everyone) AND n.seq > ?4)))
        AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.user = ?1 AND seen.seq = n.seq)
        """

    /// Whether user ?1 reads notification `n` also by another stream than ?2.
    static let isReadByAnother = """
        EXISTS (SELECT 1 FROM follows WHERE follower = ?1 AND stream = n.stream AND stream <> ?2 AND since < n.seq
         UNION ALL
         SELECT 1 FROM entry_streams other JOIN follows ON follower = ?1 AND follows.stream = other.stream
         AND follows.since < n.seq WHERE other.seq = n.seq AND other.stream <> ?2)
        """
}

/// How many notifications of followed topics and of everyone a user with many follows has not seen, as of a position.
///
/// A user with few follows has no row: a count looks at each follow. A user with many has one, and a count looks at the
/// notifications that came and went since the row's position instead. Writers bring the row forward before they change
/// what the user reads or has seen; readers only compute.
///
/// - Confinement: store
package struct TopicCountTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// How many notifications of followed topics and of everyone `user` has not seen.
    package func unread(of user: UserEntry) throws -> Int64 {
        guard user.follows > Limits.followsVisitedMax, let entry = try find(user.id),
            let difference = try difference(since: entry, user)
        else { return try NotificationTable(access: access).countUnreadTopics(of: user) }
        return entry.unread + difference
    }

    private func find(_ user: StreamID) throws -> TopicCount? {
        try access.first("SELECT up_to, unread FROM topic_counts WHERE user = ?", [user.value]) { row in
            try TopicCount(upTo: row[0], unread: row[1])
        }
    }

    /// The unread ones that came since the row, less those that went; nil when it is quicker to visit the follows, or
    /// those that went are not all known any more.
    private func difference(since entry: TopicCount, _ user: UserEntry) throws -> Int64? {
        guard try entry.upTo >= LogRetention(access: access).from() else { return nil }
        let stepsMax = user.follows
        let come = try access.number(
            """
            SELECT (SELECT count(*) FROM (SELECT 1 FROM notifications WHERE seq > ?1 LIMIT ?2))
            + (SELECT count(*) FROM (SELECT 1 FROM notifications WHERE removed_at > ?1 LIMIT ?2))
            """,
            [entry.upTo.value, stepsMax]
        )
        guard come < stepsMax else { return nil }
        return try access.number(
            """
            SELECT
            (SELECT count(*) FROM notifications n NOT INDEXED
             WHERE n.seq > max(?2, ?3) AND n.removed IS NULL AND \(TopicCount.isUnread))
            -
            (SELECT count(*) FROM notifications n INDEXED BY notifications_removed_at
             WHERE n.removed_at > ?2 AND n.seq <= ?2 AND n.seq > ?3 AND \(TopicCount.isUnread))
            """,
            [user.id.value, entry.upTo.value, user.seenUpTo.value, user.since.value]
        )
    }
}

extension TopicCountTable where Access == WriteAccess {
    /// Brings the user's row to the head of the log; makes it when there is none and the user has many follows.
    ///
    /// Must go before every change of what the user follows or has seen; the changes below do so by themselves.
    func bringForward(_ user: UserEntry, at head: Position) throws {
        guard user.follows > Limits.followsVisitedMax else { return }
        try put(TopicCount(upTo: head, unread: try unread(of: user)), of: user.id)
    }

    /// The user is about to see everything up to a position; `user` is as before.
    package func willSee(upTo position: Position, _ user: UserEntry, at head: Position) throws {
        guard user.follows > Limits.followsVisitedMax else { return }
        try bringForward(user, at: head)
        try subtract(unread(of: user, upTo: position), from: user.id)
    }

    /// The user is about to see one notification of a topic or of everyone, unseen before.
    package func willSeeOne(_ user: UserEntry, at head: Position) throws {
        guard user.follows > Limits.followsVisitedMax else { return }
        try bringForward(user, at: head)
        try subtract(1, from: user.id)
    }

    /// The user is about to follow one stream more, which brings nothing unread; `user` is as before.
    package func willFollow(_ user: UserEntry, at head: Position) throws {
        guard user.follows >= Limits.followsVisitedMax, try find(user.id) == nil else { return }
        try put(TopicCount(upTo: head, unread: try unread(of: user)), of: user.id)
    }

    /// The user is about to stop following a stream; `user` is as before.
    package func willUnfollow(_ stream: StreamID, _ user: UserEntry, at head: Position) throws {
        // A user with few follows needs no row, and a row that nobody keeps right must not stay.
        guard user.follows > Limits.followsVisitedMax + 1 else { return try delete(of: user.id) }
        try bringForward(user, at: head)
        try subtract(unread(of: user, in: stream), from: user.id)
    }

    private func subtract(_ count: Int64, from user: StreamID) throws {
        guard count != 0 else { return }
        try access.run("UPDATE topic_counts SET unread = unread - ? WHERE user = ?", [count, user.value])
    }

    private func delete(of user: StreamID) throws {
        try access.run("DELETE FROM topic_counts WHERE user = ?", [user.value])
    }

    /// The user is in another time zone from now on, and so reads other notifications that are for some zones.
    package func zoneChanged(_ user: UserEntry, at head: Position) throws {
        guard user.follows > Limits.followsVisitedMax else { return }
        let unread = try NotificationTable(access: access).countUnreadTopics(of: user)
        try put(TopicCount(upTo: head, unread: unread), of: user.id)
    }

    /// Brings forward at most `limit` of the rows with the oldest positions, so that readers have little to add.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func refresh(at head: Position, limit: Int) throws -> Int {
        let oldest = head.value - Limits.topicCountsBehindMax
        let users: [StreamID] = try access.all(
            "SELECT user FROM topic_counts WHERE up_to < ? ORDER BY up_to LIMIT ?", [oldest, limit]
        ) { try $0[0] }
        for id in users {
            guard let user = try UserTable(access: access).find(id), user.follows > Limits.followsVisitedMax else {
                try delete(of: id)
                continue
            }
            try bringForward(user, at: head)
        }
        return users.count
    }

    private func put(_ entry: TopicCount, of user: StreamID) throws {
        try access.run(
            """
            INSERT INTO topic_counts(user, up_to, unread) VALUES (?, ?, ?)
            ON CONFLICT(user) DO UPDATE SET up_to = excluded.up_to, unread = excluded.unread
            """,
            [user.value, entry.upTo.value, entry.unread]
        )
    }
}

// MARK: - What a change takes off the count

extension TopicCountTable {
    /// Unread ones that the user reads by this stream alone, with which the user's count falls when the follow ends.
    private func unread(of user: UserEntry, in stream: StreamID) throws -> Int64 {
        func count(_ notifications: String) throws -> Int64 {
            try access.number(
                """
                SELECT count(*) FROM follows JOIN \(notifications)
                AND n.removed IS NULL AND n.seq > max(follows.since, ?3)
                WHERE follows.follower = ?1 AND follows.stream = ?2
                AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.user = ?1 AND seen.seq = n.seq)
                AND (n.others IS NULL OR NOT \(TopicCount.isReadByAnother)) AND \(NotificationEntry.isFor(user: "?1"))
                """,
                [user.id.value, stream.value, user.seenUpTo.value]
            )
        }
        let own = try count("notifications n ON n.stream = follows.stream")
        guard try EntryStreamTable(access: access).hasAny(in: stream) else { return own }
        return own
            + (try count("entry_streams e ON e.stream = follows.stream JOIN notifications n ON n.seq = e.seq"))
    }

    /// Unread ones up to a position: the count falls by them when everything up to there is seen.
    ///
    /// Looks at the notifications between the user's last such mark and the position, or at each follow, whichever is
    /// less.
    private func unread(of user: UserEntry, upTo position: Position) throws -> Int64 {
        let between = try access.number(
            "SELECT count(*) FROM (SELECT 1 FROM notifications WHERE seq > ? AND seq <= ? LIMIT ?)",
            [user.seenUpTo.value, position.value, user.follows]
        )
        guard between < user.follows else {
            return try NotificationTable(access: access).countUnreadTopics(of: user, upTo: position)
        }
        return try access.number(
            """
            SELECT count(*) FROM notifications n NOT INDEXED
            WHERE n.seq > ?2 AND n.seq <= ?3 AND n.removed IS NULL AND \(TopicCount.isUnread)
            """,
            [user.id.value, user.seenUpTo.value, position.value, user.since.value]
        )
    }
}
