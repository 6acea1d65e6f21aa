import Log
package import Model

// The notifications that a user reads, and those that the user has seen.
extension NotificationTable {
    /// Whether `user` has seen the notification at `position`.
    package func isSeen(_ position: Position, by user: UserEntry) throws -> Bool {
        guard position > user.seenUpTo else { return true }
        return try access.number(
            "SELECT count(*) FROM seen WHERE user = ? AND seq = ?",
            [user.id.value, position.value]
        ) > 0
    }

    /// Whether the notification lies in a stream that the user reads, and did so when it was written.
    package func isReadable(_ entry: NotificationEntry, by user: UserEntry) throws -> Bool {
        if entry.stream == user.id { return true }
        if entry.stream == .everyone { return entry.position > user.since }
        guard try !isApart(entry, for: user.id),
            try entry.zones.isEmpty || entry.zones.contains(UserTable(access: access).zone(of: user.id))
        else { return false }
        let follows = FollowTable(access: access)
        return try streams(of: entry).contains { stream in
            if stream == .everyone { return entry.position > user.since }
            return try follows.since(follower: user.id, stream: stream).map { entry.position > $0 } ?? false
        }
    }

    /// The streams in which it lies, its own first.
    package func streams(of entry: NotificationEntry) throws -> [StreamID] {
        guard entry.isShared else { return [entry.stream] }
        return [entry.stream] + (try EntryStreamTable(access: access).streams(of: entry.position))
    }

    /// Whether another topic has notified the user, so that this one is for the others.
    package func isToldByAnother(_ entry: NotificationEntry, to user: StreamID) throws -> Bool {
        guard entry.isAcrossTopics, entry.stream != user else { return false }
        return try EntryStreamTable(access: access).isTold(entry.position, to: user)
    }

    /// Whether a notification in a stream that many read is not for the user, who blocks its writer.
    package func isWithheld(_ entry: NotificationEntry, from user: StreamID) throws -> Bool {
        guard entry.isBesidePersonal, entry.stream != user else { return false }
        return try access.number(
            "SELECT count(*) FROM withheld WHERE seq = ? AND user = ?", [entry.position.value, user.value]) > 0
    }

    /// Whether this one is for others than the user: another topic has brought the user one; or the inbox has one of the
    /// same trigger and change, where an audience is a list; or the user blocks its writer.
    package func isApart(_ entry: NotificationEntry, for user: StreamID) throws -> Bool {
        if try isToldByAnother(entry, to: user) { return true }
        guard entry.isBesidePersonal, entry.stream != user else { return false }
        if try isWithheld(entry, from: user) { return true }
        guard let trigger = entry.trigger, let change = entry.change else { return false }
        return try access.number(
            "SELECT count(*) FROM notifications WHERE trigger = ? AND change = ? AND stream = ?",
            [trigger, change.value, user.value]
        ) > 0
    }

    /// A page of what the user can read and has not archived, newest first, before `before`.
    ///
    /// The streams are merged by the positions in their indexes; only the notifications of the page itself are read. A
    /// stream whose newest entry is older than the whole page is not looked into.
    ///
    /// - Parameter after: only notifications after this position.
    package func page(
        of user: UserEntry,
        before: Position,
        after: Position = .zero,
        onlyUnread: Bool,
        at now: Timestamp,
        limit: Int
    ) throws -> [NotificationEntry] {
        let streams = try FollowTable(access: access).readableStreams(of: user, changedAfter: after)
        let starts = streams.map { min(before, $0.last.next) }
        let wanted = """
            n.removed IS NULL AND n.seq > ?2 AND n.seq < ?3 AND (n.expires IS NULL OR n.expires > ?4)
            AND (n.others IS NULL OR NOT \(ReaderSQL.isApart)) AND NOT EXISTS \(ReaderSQL.isArchived)
            \(onlyUnread ? "AND n.seq > ?7 AND NOT EXISTS \(ReaderSQL.isSeen)" : "")
            """
        var query = "SELECT n.seq FROM notifications n WHERE n.stream = ?1 AND \(wanted)"
        if try !EntryStreamTable(access: access).isEmpty() {
            query += """
                 UNION ALL SELECT n.seq FROM entry_streams e JOIN notifications n ON n.seq = e.seq
                WHERE e.stream = ?1 AND e.seq > ?2 AND e.seq < ?3 AND \(wanted)
                AND \(NotificationEntry.isFor(user: "?6"))
                """
        }
        query += " ORDER BY seq DESC LIMIT ?5"
        let positions = try PositionMerge.merge(after: starts, .descending, limit: limit) { index, before, limit in
            let (stream, since, _) = streams[index]
            return try access.all(
                query,
                [stream.value, max(since, after).value, before.value, now.milliseconds, limit, user.id.value]
                    + (onlyUnread ? [user.seenUpTo.value] : [])
            ) { try $0[0] }
        }
        return try positions.compactMap(find)
    }

    /// Unread notifications of the inbox after `position`.
    package func countUnreadInbox(of user: StreamID, after position: Position) throws -> Int64 {
        try access.number(
            """
            SELECT count(*) FROM notifications n WHERE n.stream = ?1 AND n.removed IS NULL AND n.seq > ?2
            AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.user = ?1 AND seen.seq = n.seq)
            """,
            [user.value, position.value]
        )
    }

    /// Unread notifications of followed topics and of everyone; see ``TopicCountTable`` for users who follow many.
    ///
    /// Costs a step for each followed topic, and for each notification that is newer than what the user has seen.
    ///
    /// - Parameter upTo: counts none after this position.
    package func countUnreadTopics(
        of user: UserEntry,
        upTo position: Position = Position(Position.bound)
    ) throws -> Int64 {
        let arguments = [user.id.value, user.seenUpTo.value, user.since.value, position.value]
        let counted = try access.number(ReaderSQL.unreadTopics, arguments)
        guard !counted.isMultiple(of: 2) else { return counted / 2 }
        return counted / 2 + (try access.number(ReaderSQL.unreadByOtherTopics, arguments))
    }
}

/// The statements and conditions for what a user reads; their text is made once.
///
/// - Confinement: any
private enum ReaderSQL {
    static let isSeen = "(SELECT 1 FROM seen WHERE seen.user = ?6 AND seen.seq = n.seq)"
    static let isArchived = "(SELECT 1 FROM archived WHERE archived.user = ?6 AND archived.seq = n.seq)"

    /// Whether user ?6 has one of the same trigger and change in the inbox: see ``NotificationTable/isApart(_:for:)``.
    static let isApart = """
        (EXISTS (SELECT 1 FROM notifications own WHERE own.trigger = n.trigger AND own.change = n.change
        AND own.stream = ?6 AND own.seq <> n.seq) OR \(NotificationEntry.isWithheld(user: "?6")))
        """

    /// One number for two answers: twice the count, and one more where entries lie in several streams.
    static let unreadTopics = """
        SELECT 2 * (
        (SELECT count(*) FROM follows
         JOIN streams ON streams.id = follows.stream AND streams.last > ?2
         JOIN notifications n ON n.stream = follows.stream AND n.removed IS NULL
         AND n.seq > max(follows.since, ?2) AND n.seq <= ?4
         WHERE follows.follower = ?1 AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.user = ?1 AND seen.seq = n.seq))
        +
        (SELECT count(*) FROM notifications n WHERE n.stream = \(StreamSQL.everyone) AND n.removed IS NULL
         AND n.seq > max(?2, ?3)
         AND n.seq <= ?4 AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.user = ?1 AND seen.seq = n.seq)))
        + EXISTS (SELECT 1 FROM entry_streams WHERE seq > 0)
        """

    /// Those that the user reads by another stream than their own, and not by their own, each once.
    static let unreadByOtherTopics = """
        SELECT count(DISTINCT e.seq) FROM
         (SELECT follows.stream, follows.since FROM follows
          JOIN streams ON streams.id = follows.stream AND streams.last > ?2 WHERE follows.follower = ?1
          UNION ALL SELECT \(StreamSQL.everyone), ?3) AS followed
         JOIN entry_streams e ON e.stream = followed.stream AND e.seq > max(followed.since, ?2) AND e.seq <= ?4
         JOIN notifications n ON n.seq = e.seq AND n.removed IS NULL AND \(NotificationEntry.isFor(user: "?1"))
         WHERE NOT EXISTS (SELECT 1 FROM seen WHERE seen.user = ?1 AND seen.seq = n.seq)
         AND NOT EXISTS (SELECT 1 FROM follows first
          WHERE first.follower = ?1 AND first.stream = n.stream AND first.since < n.seq)
        """
}
