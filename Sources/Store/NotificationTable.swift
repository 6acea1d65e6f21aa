import GRDB
package import Model

/// A notification as stored: one row, whatever the number of its readers.
///
/// - Confinement: any
package struct NotificationEntry: Sendable {
    /// Its place in the log, and its number.
    package let position: Position
    /// The stream it lies in: an inbox, a topic, everyone.
    package let stream: StreamID
    /// What it is about, as shown to clients: `user:alice`, `person:525`, `everyone`.
    package let topic: String
    /// Further topics whose followers it is for: it lies in their streams, too (``EntryStreamTable``).
    package let others: [String]
    /// Whether its audience is a list that names people, too: they have one of their own, and this one is for the others.
    package let isBesidePersonal: Bool
    /// Whether a mute holds only if it covers each of its topics that the reader follows.
    package let needsAllMuted: Bool
    /// Whether its trigger tells each person once of what has the same ``collapse``, by whichever topic.
    package let isAcrossTopics: Bool
    /// The time zones of those it is for, by their names; empty for all. Then its own stream is one that nobody follows,
    /// and it lies in those of its topics beside it.
    package let zones: [String]
    package let kind: String
    package let level: InterruptionLevel
    /// JSON: `{"": {"title", "body"}, "it": {…}}`.
    package let texts: String
    /// JSON of an object.
    package let data: String
    package let at: Timestamp
    package let expires: Timestamp?
    /// A later notification with the same key in the same stream replaces this one.
    package let collapse: String?
    /// The trigger that asked for it, and the position of the change that fired it.
    package let trigger: String?
    package let change: Position?
    package let broadcast: Int64?
    /// Path of the document whose change it comes from.
    package let path: String?
    /// Why it interrupts nobody; nil when it does. In a stream that many read, each reader's own reason comes on top.
    package var silence: Silence?
    /// Where the first stood that it only brings up to date: who was told of that one need not be told of this one.
    package let origin: Position?

    package init(
        position: Position,
        stream: StreamID,
        topic: String,
        kind: String,
        level: InterruptionLevel,
        texts: String,
        data: String,
        at: Timestamp,
        expires: Timestamp?,
        collapse: String?,
        trigger: String? = nil,
        change: Position? = nil,
        broadcast: Int64? = nil,
        path: String? = nil,
        silence: Silence? = nil,
        origin: Position? = nil,
        others: [String] = [],
        isBesidePersonal: Bool = false,
        needsAllMuted: Bool = false,
        isAcrossTopics: Bool = false,
        zones: [String] = []
    ) {
        self.position = position
        self.stream = stream
        self.topic = topic
        self.kind = kind
        self.level = level
        self.texts = texts
        self.data = data
        self.at = at
        self.expires = expires
        self.collapse = collapse
        self.trigger = trigger
        self.change = change
        self.broadcast = broadcast
        self.path = path
        self.silence = silence
        self.origin = origin
        self.others = others
        self.isBesidePersonal = isBesidePersonal
        self.needsAllMuted = needsAllMuted
        self.isAcrossTopics = isAcrossTopics
        self.zones = zones
    }

    /// Whether it lies in further streams, or is not for all who read its own.
    fileprivate var isShared: Bool { !others.isEmpty || isBesidePersonal || isAcrossTopics || !zones.isEmpty }

    /// The marks before ``others`` as they are stored, where ``isBesidePersonal`` and ``needsAllMuted``.
    fileprivate static let besidePersonal = "@"
    fileprivate static let allMuted = "&"
    /// The mark before all others, where ``isAcrossTopics``.
    fileprivate static let acrossTopics = "="
    fileprivate static let marks = [acrossTopics, besidePersonal, allMuted]

    /// The marks and the other topics, with spaces between, which no topic has; nil where it is not shared.
    fileprivate var storedOthers: String? {
        guard isShared else { return nil }
        var words = others
        if needsAllMuted { words.insert(Self.allMuted, at: 0) }
        if isBesidePersonal { words.insert(Self.besidePersonal, at: 0) }
        if isAcrossTopics { words.insert(Self.acrossTopics, at: 0) }
        return words.joined(separator: " ")
    }

    /// With a space before and after each, so that one is found in it as a whole.
    fileprivate var storedZones: String? { zones.isEmpty ? nil : " " + zones.joined(separator: " ") + " " }

    fileprivate static func others(stored: String?) -> [String] {
        guard let stored else { return [] }
        return stored.split(separator: " ").map(String.init)
    }

    /// The id that clients know it by.
    package var id: String { Self.id(of: position) }

    /// The id that clients know the notification at a position by: `n4711`.
    package static func id(of position: Position) -> String { "n\(position.value)" }

    /// Reads an id that ``id(of:)`` made.
    package static func position(ofID id: String) -> Position? {
        guard id.utf8.first == UInt8(ascii: "n"), let value = Int64(id.dropFirst()), value > 0, "n\(value)" == id
        else { return nil }
        return Position(value)
    }
}

/// Notifications and who has seen them.
///
/// A user sees those of his inbox, of followed topics since the follow began, and those to everyone since he was known.
///
/// - Confinement: store
package struct NotificationTable {
    let database: Database
    /// The writer's; nil on the connections that read.
    var statements: WriterStatements?

    static let insertSQL = """
        INSERT INTO notifications
        (seq, stream, topic, kind, level, texts, data, at, expires, collapse, trigger, change, broadcast, path,
        silence, others, zones, origin)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(trigger, change, stream) DO NOTHING
        """

    private static let columns = """
        n.seq, n.stream, n.topic, n.kind, n.level, n.texts, n.data, n.at, n.expires, n.collapse, n.trigger, n.change,
        n.broadcast, n.path, n.silence, n.others, n.zones, n.origin
        """

    /// Adds a row; false when the same trigger has already notified the same stream of the same change.
    package func insert(_ entry: NotificationEntry) throws -> Bool {
        var input = StatementInput(
            try statements?.insertNotification ?? database.cachedStatement(sql: Self.insertSQL))
        input.add(entry.position.value)
        input.add(entry.stream.value)
        input.add(entry.topic)
        input.add(entry.kind)
        input.add(entry.level.rawValue)
        input.add(entry.texts)
        input.add(entry.data)
        input.add(entry.at.milliseconds)
        input.add(entry.expires?.milliseconds)
        input.add(entry.collapse)
        input.add(entry.trigger)
        input.add(entry.change?.value)
        input.add(entry.broadcast)
        input.add(entry.path)
        input.add(entry.silence?.rawValue)
        input.add(entry.storedOthers)
        input.add(entry.storedZones)
        input.add(entry.origin?.value)
        try input.run()
        guard database.changesCount > 0 else { return false }
        if entry.isAcrossTopics, let trigger = entry.trigger, let collapse = entry.collapse {
            try EntryStreamTable(database: database).insert(entry.position, across: trigger, collapse: collapse)
        }
        return true
    }

    /// The notification at a position; nil when there is none, or it was taken away.
    package func find(_ position: Position) throws -> NotificationEntry? {
        try database.first(
            "SELECT \(Self.columns) FROM notifications n WHERE n.seq = ? AND n.removed IS NULL",
            [position.value],
            Self.entry
        )
    }

    /// The notification that was written at a position, also if it was taken away since.
    package func findWritten(at position: Position) throws -> NotificationEntry? {
        try database.first(
            "SELECT \(Self.columns) FROM notifications n WHERE n.seq = ?",
            [position.value],
            Self.entry
        )
    }

    /// Whether a trigger has already notified a stream of a change, also if that was taken away since.
    package func exists(trigger: String, change: Position, in stream: StreamID) throws -> Bool {
        try database.number(
            """
            SELECT EXISTS(SELECT 1 FROM notifications n WHERE trigger = ?1 AND change = ?2 AND (stream = ?3
            OR others IS NOT NULL AND EXISTS (SELECT 1 FROM entry_streams e WHERE e.stream = ?3 AND e.seq = n.seq)))
            """,
            [trigger, change.value, stream.value]
        ) > 0
    }

    /// At most `limit` live notifications whose time is over, the oldest first.
    package func expired(at now: Timestamp, limit: Int) throws -> [NotificationEntry] {
        try database.all(
            """
            SELECT \(Self.columns) FROM notifications n
            WHERE n.removed IS NULL AND n.expires IS NOT NULL AND n.expires <= ? ORDER BY n.expires, n.seq LIMIT ?
            """,
            [now.milliseconds, limit],
            Self.entry
        )
    }

    /// The live notification that a new one with the same collapse key replaces.
    package func find(collapse: String, in stream: StreamID) throws -> NotificationEntry? {
        try database.first(
            """
            SELECT \(Self.columns) FROM notifications n
            WHERE n.stream = ? AND n.collapse = ? AND n.removed IS NULL ORDER BY n.seq DESC LIMIT 1
            """,
            [stream.value, collapse],
            Self.entry
        ) ?? shared(collapse: collapse, in: stream).first
    }

    /// The same among those that lie in the stream beside others, the newest first: one for each group of time zones.
    package func shared(collapse: String, in stream: StreamID) throws -> [NotificationEntry] {
        guard try EntryStreamTable(database: database).hasAny(in: stream) else { return [] }
        return try database.all(
            """
            SELECT \(Self.columns) FROM entry_streams e JOIN notifications n ON n.seq = e.seq
            WHERE e.stream = ? AND n.collapse = ? AND n.removed IS NULL ORDER BY e.seq DESC
            """,
            [stream.value, collapse],
            Self.entry
        )
    }

    /// The live notifications of a trigger that tells each person once across topics, with the same collapse key.
    package func live(acrossTopics trigger: String, collapse: String) throws -> [NotificationEntry] {
        try database.all(
            """
            SELECT \(Self.columns) FROM told_across t JOIN notifications n ON n.seq = t.seq
            WHERE t.trigger = ? AND t.collapse = ? AND n.removed IS NULL ORDER BY t.seq
            """,
            [trigger, collapse],
            Self.entry
        )
    }

    /// The live notifications that come from changes of a document, the oldest first.
    ///
    /// - Parameter trigger: only those of this one.
    package func live(from path: String, by trigger: String? = nil) throws -> [NotificationEntry] {
        try database.all(
            """
            SELECT \(Self.columns) FROM notifications n
            WHERE n.path = ?1 AND n.removed IS NULL AND (?2 IS NULL OR n.trigger = ?2) ORDER BY n.seq
            """,
            [path, trigger],
            Self.entry
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
        return try database.all(
            """
            SELECT \(Self.columns) FROM notifications n INDEXED BY notifications_inbox_path
            WHERE n.path >= ? AND n.path < ? AND n.path IS NOT NULL AND n.removed IS NULL AND n.stream = ?
            ORDER BY n.seq
            """,
            [prefix, end, stream.value],
            Self.entry
        )
    }

    /// Takes a notification away, for the reason that the event names.
    ///
    /// - Parameter removal: the position of that event.
    package func remove(_ position: Position, reason: String, at removal: Position) throws {
        try database.run(
            "UPDATE notifications SET removed = ?, removed_at = ? WHERE seq = ?",
            [reason, removal.value, position.value]
        )
    }

    /// Whether `user` has seen the notification at `position`.
    package func isSeen(_ position: Position, by user: UserEntry) throws -> Bool {
        guard position > user.seenUpTo else { return true }
        return try database.number(
            "SELECT count(*) FROM seen WHERE user = ? AND seq = ?",
            [user.id.value, position.value]
        ) > 0
    }

    /// `user` has seen the one notification at `position`; again is no error.
    package func setSeen(_ position: Position, by user: StreamID) throws {
        try database.run("INSERT OR IGNORE INTO seen(user, seq) VALUES (?, ?)", [user.value, position.value])
    }

    /// Forgets single marks that a mark up to `position` covers.
    package func deleteSeen(upTo position: Position, by user: StreamID) throws {
        try database.run("DELETE FROM seen WHERE user = ? AND seq <= ?", [user.value, position.value])
    }

    /// Whether a stream is one that the user reads, and the notification not from before he did.
    package func isReadable(_ entry: NotificationEntry, by user: UserEntry) throws -> Bool {
        if entry.stream == user.id { return true }
        if entry.stream == .everyone { return entry.position > user.since }
        guard try !isApart(entry, for: user.id),
            try entry.zones.isEmpty || entry.zones.contains(UserTable(database: database).zone(of: user.id))
        else { return false }
        let follows = FollowTable(database: database)
        return try streams(of: entry).contains { stream in
            if stream == .everyone { return entry.position > user.since }
            return try follows.since(follower: user.id, stream: stream).map { entry.position > $0 } ?? false
        }
    }

    /// The streams in which it lies, its own first.
    package func streams(of entry: NotificationEntry) throws -> [StreamID] {
        guard entry.isShared else { return [entry.stream] }
        return [entry.stream] + (try EntryStreamTable(database: database).streams(of: entry.position))
    }

    /// Whether the user was told by another topic, so that this one is for the others.
    package func isToldByAnother(_ entry: NotificationEntry, to user: StreamID) throws -> Bool {
        guard entry.isAcrossTopics, entry.stream != user else { return false }
        return try EntryStreamTable(database: database).isTold(entry.position, to: user)
    }

    /// Whether the user has another one, so that this one is for the others: was told by another topic, or has one of the
    /// same trigger and change in the inbox, where an audience is a list.
    package func isApart(_ entry: NotificationEntry, for user: StreamID) throws -> Bool {
        if try isToldByAnother(entry, to: user) { return true }
        guard entry.isBesidePersonal, entry.stream != user, let trigger = entry.trigger, let change = entry.change
        else {
            return false
        }
        return try database.number(
            "SELECT count(*) FROM notifications WHERE trigger = ? AND change = ? AND stream = ?",
            [trigger, change.value, user.value]
        ) > 0
    }

    private static func entry(_ row: Columns) throws -> NotificationEntry {
        guard let level = try InterruptionLevel(rawValue: row[4]) else {
            throw StoredValueProblem(place: "notifications.level")
        }
        let expires: Int64? = try row.optional(8)
        let change: Int64? = try row.optional(11)
        let silence: String? = try row.optional(14)
        let others = NotificationEntry.others(stored: try row.optional(15))
        let zones: String? = try row.optional(16)
        let origin: Int64? = try row.optional(17)
        return NotificationEntry(
            position: try Position(row[0]),
            stream: try StreamID(row[1]),
            topic: try row[2],
            kind: try row[3],
            level: level,
            texts: try row[5],
            data: try row[6],
            at: try Timestamp(milliseconds: row[7]),
            expires: expires.map(Timestamp.init(milliseconds:)),
            collapse: try row.optional(9),
            trigger: try row.optional(10),
            change: change.map(Position.init),
            broadcast: try row.optional(12),
            path: try row.optional(13),
            silence: silence.flatMap(Silence.init(rawValue:)),
            origin: origin.map(Position.init),
            others: others.filter { !NotificationEntry.marks.contains($0) },
            isBesidePersonal: others.contains(NotificationEntry.besidePersonal),
            needsAllMuted: others.contains(NotificationEntry.allMuted),
            isAcrossTopics: others.contains(NotificationEntry.acrossTopics),
            zones: zones?.split(separator: " ").map(String.init) ?? []
        )
    }
}

// MARK: - The merge of the streams a user reads

extension NotificationTable {
    /// A page of what the user can read, newest first, before `before`.
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
        let streams = try FollowTable(database: database).readableStreams(of: user, changedAfter: after)
        let starts = streams.map { min(before, $0.last.next) }
        let wanted = """
            n.removed IS NULL AND n.seq > ?2 AND n.seq < ?3 AND (n.expires IS NULL OR n.expires > ?4)
            AND (n.others IS NULL OR NOT \(Self.isApart))
            \(onlyUnread ? "AND n.seq > ?7 AND NOT EXISTS \(Self.isSeen)" : "")
            """
        var query = "SELECT n.seq FROM notifications n WHERE n.stream = ?1 AND \(wanted)"
        if try !EntryStreamTable(database: database).isEmpty() {
            query += """
                 UNION ALL SELECT n.seq FROM entry_streams e JOIN notifications n ON n.seq = e.seq
                WHERE e.stream = ?1 AND e.seq > ?2 AND e.seq < ?3 AND \(wanted)
                AND \(EntryStreamTable.isFor(user: "?6"))
                """
        }
        query += " ORDER BY seq DESC LIMIT ?5"
        let positions = try PositionMerge.merge(after: starts, .descending, limit: limit) { index, before, limit in
            let (stream, since, _) = streams[index]
            return try database.all(
                query,
                [stream.value, max(since, after).value, before.value, now.milliseconds, limit, user.id.value]
                    + (onlyUnread ? [user.seenUpTo.value] : [])
            ) { try Position($0[0]) }
        }
        return try positions.compactMap(find)
    }

    /// Whether user ?6 has one of the same trigger and change in the inbox: see ``isApart(_:for:)``.
    private static let isApart = """
        EXISTS (SELECT 1 FROM notifications own WHERE own.trigger = n.trigger AND own.change = n.change
        AND own.stream = ?6 AND own.seq <> n.seq)
        """

    /// Unread notifications of the inbox behind `position`.
    package func countUnreadInbox(of user: StreamID, after position: Position) throws -> Int64 {
        try database.number(
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
        // One number for both: twice the count, and one more where entries lie in several streams.
        let counted = try database.number(
            """
            SELECT 2 * (
            (SELECT count(*) FROM follows
             JOIN streams ON streams.id = follows.stream AND streams.last > ?2
             JOIN notifications n ON n.stream = follows.stream AND n.removed IS NULL
             AND n.seq > max(follows.since, ?2) AND n.seq <= ?4
             WHERE follows.follower = ?1 AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.user = ?1 AND seen.seq = n.seq))
            +
            (SELECT count(*) FROM notifications n WHERE n.stream = 1 AND n.removed IS NULL AND n.seq > max(?2, ?3)
             AND n.seq <= ?4 AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.user = ?1 AND seen.seq = n.seq)))
            + EXISTS (SELECT 1 FROM entry_streams WHERE seq > 0)
            """,
            arguments
        )
        guard !counted.isMultiple(of: 2) else { return counted / 2 }
        return counted / 2 + (try database.number(Self.unreadByOtherTopics, arguments))
    }

    /// Those that the user reads by a stream that is not their own one, and not by that one, each once.
    private static let unreadByOtherTopics = """
        SELECT count(DISTINCT e.seq) FROM
         (SELECT follows.stream, follows.since FROM follows
          JOIN streams ON streams.id = follows.stream AND streams.last > ?2 WHERE follows.follower = ?1
          UNION ALL SELECT 1, ?3) AS followed
         JOIN entry_streams e ON e.stream = followed.stream AND e.seq > max(followed.since, ?2) AND e.seq <= ?4
         JOIN notifications n ON n.seq = e.seq AND n.removed IS NULL AND \(EntryStreamTable.isFor(user: "?1"))
         WHERE NOT EXISTS (SELECT 1 FROM seen WHERE seen.user = ?1 AND seen.seq = n.seq)
         AND NOT EXISTS (SELECT 1 FROM follows first
          WHERE first.follower = ?1 AND first.stream = n.stream AND first.since < n.seq)
        """

    private static let isSeen = "(SELECT 1 FROM seen WHERE seen.user = ?6 AND seen.seq = n.seq)"
}

extension FollowTable {
    /// The streams that the user reads and that have events after `position`: each with the position since when the user
    /// reads it, and one that no entry of it lies beyond.
    func readableStreams(
        of user: UserEntry,
        changedAfter position: Position
    ) throws -> [(stream: StreamID, since: Position, last: Position)] {
        let followed = try database.all(
            """
            SELECT follows.stream, follows.since, streams.last
            FROM follows JOIN streams ON streams.id = follows.stream
            WHERE follows.follower = ? AND streams.last > ? AND streams.last > follows.since
            """,
            [user.id.value, position.value]
        ) { try (StreamID($0[0]), Position($0[1]), Position($0[2])) }
        let end = Position(Position.bound - 1)
        return [(user.id, .zero, end), (.everyone, user.since, end)] + followed
    }

    /// How many follows have ended behind a position, counted up to a limit: what merging them would cost.
    package func endedCount(of follower: StreamID, after position: Position, limit: Int) throws -> Int {
        Int(
            try database.number(
                "SELECT count(*) FROM (SELECT 1 FROM past_follows WHERE follower = ? AND until > ? LIMIT ?)",
                [follower.value, position.value, limit]
            )
        )
    }

    /// The follows that ended behind `position` and brought something behind it.
    func ended(
        of follower: StreamID,
        after position: Position
    ) throws -> [(stream: StreamID, since: Position, until: Position)] {
        try database.all(
            """
            SELECT past_follows.stream, past_follows.since, past_follows.until
            FROM past_follows JOIN streams ON streams.id = past_follows.stream
            WHERE past_follows.follower = ?1 AND past_follows.until > ?2
            AND streams.last > ?2 AND streams.last > past_follows.since
            """,
            [follower.value, position.value]
        ) { try (StreamID($0[0]), Position($0[1]), Position($0[2])) }
    }
}
