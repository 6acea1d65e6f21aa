package import Log
package import Model

/// A user as stored.
///
/// - Confinement: any
package struct UserEntry: Sendable {
    /// Number of the user, and of the stream that is the inbox.
    package let id: StreamID
    package let name: UserID
    /// Position at which the user was first known: broadcasts before it are not for this user.
    package let since: Position
    /// The language the user chose in the preferences.
    package let language: LanguageTag?
    /// The language that a device last named in `hello`, used when none was chosen.
    package let deviceLanguage: LanguageTag?
    /// Pair chats with something unread; rooms are counted when they are asked for.
    package let unreadChats: Int64
    /// Unread notifications of the inbox alone, without those of followed topics.
    package let unreadInbox: Int64
    /// Every notification up to here is seen.
    package let seenUpTo: Position
    /// The furthest position that one of the user's devices acknowledged.
    package let acknowledged: Position
    /// The other preferences of the user, as JSON; nil when there are none.
    package let preferences: String?
    /// How many topics the user follows.
    package let follows: Int64
    /// How many rooms the user is in.
    package let rooms: Int64

    /// The language of texts: the chosen one, else the device's; nil for the default of each text.
    package var effectiveLanguage: LanguageTag? { language ?? deviceLanguage }

    /// The language of texts on a device: the chosen one, else the language of this device, else that of the last one.
    package func language(onDevice device: LanguageTag?) -> LanguageTag? { language ?? device ?? deviceLanguage }
}

/// Everybody the server knows, with the counts that are kept with a user.
///
/// - Confinement: store
package struct UserTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    package init(access: Access) { self.access = access }

    /// The user of a name; nil when there is none.
    package func find(_ name: UserID) throws -> UserEntry? {
        try access.first(UserEntry.findByNameSQL, [name.text], UserEntry.init)
    }

    /// The user of a number; nil when it is no user's.
    package func find(_ id: StreamID) throws -> UserEntry? {
        try access.first(UserEntry.findByIDSQL, [id.value], UserEntry.init)
    }

    /// The user's number, without the rest of the row.
    package func number(of name: UserID) throws -> StreamID? {
        try access.value("SELECT id FROM users WHERE name = ?", [name.text])
    }

    /// The name of a user's number; nil when it is no user's.
    package func name(of id: StreamID) throws -> UserID? {
        let text: String? = try access.value("SELECT name FROM users WHERE id = ?", [id.value])
        return text.flatMap(UserID.init(stored:))
    }

    /// The name of the user's time zone; `UTC` for a user who has chosen none.
    package func zone(of id: StreamID) throws -> String {
        try access.value("SELECT zone FROM users WHERE id = ?", [id.value]) ?? UserEntry.zoneOfOthers
    }

    /// The time zones in which there are users, each once; that of those who have chosen none is always among them.
    ///
    /// Goes from each to the next in the index, however many users there are.
    package func zones() throws -> [String] {
        let chosen: [String] = try access.all(
            """
            WITH RECURSIVE chosen(zone) AS (SELECT min(zone) FROM users UNION ALL
            SELECT (SELECT min(zone) FROM users WHERE zone > chosen.zone) FROM chosen WHERE zone IS NOT NULL)
            SELECT zone FROM chosen WHERE zone IS NOT NULL AND zone <> ?
            """,
            [UserEntry.zoneOfOthers]
        ) { try $0[0] }
        return [UserEntry.zoneOfOthers] + chosen
    }

    /// A page of all users: those with numbers above `after`, in the order of numbers.
    package func page(after: StreamID, limit: Int) throws -> [UserEntry] {
        try access.all(
            UserEntry.query + " WHERE id > ? ORDER BY id LIMIT ?",
            [after.value, limit],
            UserEntry.init
        )
    }

    /// The number of the newest user; that of nobody when there is none.
    package func newest() throws -> StreamID {
        StreamID(stored: try access.number("SELECT coalesce(max(id), 0) FROM users"))
    }

    /// Users known to the server.
    package func count() throws -> Int64 {
        try access.number("SELECT count(*) FROM users")
    }
}

extension UserTable where Access == WriteAccess {
    /// The user's number; a new user is made known at `position`: people can be written to before they ever connect.
    package func findOrMake(_ name: UserID, at position: Position) throws -> StreamID {
        if let id = try number(of: name) { return id }
        let id = try StreamTable(access: access).findOrMake(named: "@" + name.text)
        try access.run(
            "INSERT INTO users(id, name, since, seen_up_to) VALUES (?, ?, ?, ?)",
            [id.value, name.text, position.value, position.value]
        )
        return id
    }

    /// The user chose a language, or none any more.
    package func setLanguage(_ language: LanguageTag?, of id: StreamID) throws {
        try access.run("UPDATE users SET language = ? WHERE id = ?", [language?.text, id.value])
    }

    /// A device of the user named its language.
    package func setDeviceLanguage(_ language: LanguageTag, of id: StreamID) throws {
        try access.run("UPDATE users SET device_language = ? WHERE id = ?", [language.text, id.value])
    }

    /// Adds to the number of chats with something unread.
    package func addUnreadChats(_ difference: Int64, to id: StreamID) throws {
        try access.run("UPDATE users SET unread_chats = unread_chats + ? WHERE id = ?", [difference, id.value])
    }

    /// Adds to the number of unread notifications of the inbox.
    package func addUnreadInbox(_ difference: Int64, to id: StreamID) throws {
        var input = StatementInput(access.subjects.statements.addUnreadInbox, noting: access.recorder)
        input.add(difference)
        input.add(id.value)
        try input.run()
    }

    /// Everything up to `position` is seen; `unreadInbox` are left in the inbox after it.
    package func setSeen(upTo position: Position, unreadInbox: Int64, of id: StreamID) throws {
        try access.run(
            "UPDATE users SET seen_up_to = ?, unread_inbox = ? WHERE id = ?",
            [position.value, unreadInbox, id.value]
        )
    }

    /// The furthest position that one of the user's devices has handled.
    package func setAcknowledged(_ position: Position, of id: StreamID) throws {
        try access.run("UPDATE users SET acknowledged = ? WHERE id = ?", [position.value, id.value])
    }
}

extension UserEntry {
    private enum Column: Int, ColumnName {
        case id, name, since, language, deviceLanguage, unreadChats, unreadInbox, seenUpTo, acknowledged, preferences
        case follows, rooms
    }

    fileprivate static let query = "SELECT \(Column.list()) FROM users"
    // Their text is made once: nearly every command and every session's start runs one of them.
    fileprivate static let findByNameSQL = query + " WHERE name = ?"
    fileprivate static let findByIDSQL = query + " WHERE id = ?"

    static let addUnreadInboxSQL = "UPDATE users SET unread_inbox = unread_inbox + ? WHERE id = ?"

    /// The time zone of a user who has chosen none.
    fileprivate static let zoneOfOthers = "UTC"

    /// The condition that a notification `n` is for the time zone of a user.
    ///
    /// - Parameter user: the parameter that is the user's number.
    static func isInZones(user: String) -> String {
        """
        (n.zones IS NULL OR instr(n.zones,
        ' ' || coalesce((SELECT zone FROM users WHERE id = \(user)), '\(zoneOfOthers)') || ' ') > 0)
        """
    }

    fileprivate init(_ row: Columns) throws {
        guard let name = try UserID(stored: row[Column.name]) else { throw StoredValueProblem(place: "users.name") }
        let language: String? = try row.optional(Column.language)
        let deviceLanguage: String? = try row.optional(Column.deviceLanguage)
        id = try row[Column.id]
        self.name = name
        since = try row[Column.since]
        self.language = language.flatMap(LanguageTag.init)
        self.deviceLanguage = deviceLanguage.flatMap(LanguageTag.init)
        unreadChats = try row[Column.unreadChats]
        unreadInbox = try row[Column.unreadInbox]
        seenUpTo = try row[Column.seenUpTo]
        acknowledged = try row[Column.acknowledged]
        preferences = try row.optional(Column.preferences)
        follows = try row[Column.follows]
        rooms = try row[Column.rooms]
    }
}

extension ReadAccess {
    /// The numbers and names of users, which a query gives in this order.
    ///
    /// - Throws: ``StoredValueProblem`` for a stored name that no user has; `DatabaseError`.
    func people(
        _ query: String, _ arguments: [(any StatementArgument)?]
    ) throws -> [(id: StreamID, name: UserID)] {
        try all(query, arguments) { row in
            guard let name = try UserID(stored: row[1]) else { throw StoredValueProblem(place: "users.name") }
            return try (row[0], name)
        }
    }
}
