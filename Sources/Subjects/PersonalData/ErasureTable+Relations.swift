import Log
package import Model
package import Store

/// Rows that are one person's alone, and go with the person, as their table declares.
///
/// - Confinement: any
package struct PersonRows: Sendable {
    private let table: TableName
    /// The column with the person.
    private let column: String
    /// The columns of the key.
    private let key: String
    /// The name in the certificate.
    package let kind: String

    /// The same in every program that declares it.
    package var id: String { "\(table.rawValue).\(column)" }

    /// All that tables declare.
    package static let all: [PersonRows] = TableName.allCases.flatMap { table -> [PersonRows] in
        let declaration = DeclaredTables[table]
        return declaration.contents.compactMap { column, content in
            guard case .person(.rowGoes(let kind)) = content else { return nil }
            let key = declaration.key.joined(separator: ", ")
            return PersonRows(table: table, column: column, key: key, kind: kind)
        }
    }

    fileprivate var counting: String { "SELECT count(*) FROM \(table.rawValue) WHERE \(column) = ?" }

    fileprivate var deleting: String {
        """
        DELETE FROM \(table.rawValue) WHERE (\(key)) IN
        (SELECT \(key) FROM \(table.rawValue) WHERE \(column) = ? ORDER BY \(key) LIMIT ?)
        """
    }
}

extension ErasureTable {
    /// How many rows of a kind a person has.
    package func count(_ rows: PersonRows, of user: StreamID) throws -> Int64 {
        try access.number(rows.counting, [user.value])
    }

    /// The messages that a person wrote in a chat; visits all of them.
    package func countMessages(of user: StreamID, in chat: Int64) throws -> Int64 {
        try access.number("SELECT count(*) FROM messages WHERE chat = ? AND author = ?", [chat, user.value])
    }

    /// The chats of a person after a number, also rooms that the person has left, ascending.
    package func chats(of user: StreamID, after chat: Int64, limit: Int) throws -> [Int64] {
        try access.all(
            """
            SELECT chat FROM members WHERE user = ?1 AND chat > ?2
            UNION SELECT chat FROM left_rooms WHERE user = ?1 AND chat > ?2 ORDER BY chat LIMIT ?3
            """,
            [user.value, chat, limit]
        ) { try $0[0] }
    }

    /// The numbers of a person's messages among those of a chat after a number.
    ///
    /// - Parameter limit: how many messages are looked at.
    /// - Returns: the numbers, and the number of the last message that was looked at; nil when there are no more.
    package func messages(
        of user: StreamID, in chat: Int64, after n: MessageNumber, limit: Int
    ) throws -> (numbers: [MessageNumber], last: MessageNumber?) {
        let found: [(n: MessageNumber, isTheirs: Bool)] = try access.all(
            "SELECT n, author = ? FROM messages WHERE chat = ? AND n > ? ORDER BY n LIMIT ?",
            [user.value, chat, n, limit]
        ) { try ($0[0], $0[1]) }
        return (found.filter(\.isTheirs).map(\.n), found.last?.n)
    }

    /// Whether a message of a chat has still something in it.
    package func hasMessages(in chat: Int64) throws -> Bool {
        try access.number(
            "SELECT EXISTS (SELECT 1 FROM messages WHERE chat = ? AND deleted IS NULL)", [chat]) > 0
    }

    /// Paths of the person's own documents after one, ascending: those at and below `users/NAME`, and those that give the
    /// person a role.
    package func documents(of name: UserID, after path: String, limit: Int) throws -> [String] {
        let own = "users/" + name.text
        return try access.all(
            """
            SELECT path FROM documents WHERE path >= ?1 AND path < ?1 || '0' AND path > ?2
            AND (path = ?1 OR path > ?1 || '/')
            UNION ALL SELECT path FROM documents WHERE path > 'roles/' AND path < 'roles0' AND path > ?2
            AND collection = 'roles/' || substr(path, 7, instr(substr(path, 7), '/') - 1) || '/users' AND id = ?4
            ORDER BY path LIMIT ?3
            """,
            [own, path, limit, name.text]
        ) { try $0[0] }
    }
}

extension ErasureTable where Access == WriteAccess {
    /// Deletes at most `limit` rows of a kind of a person.
    ///
    /// - Returns: how many there were.
    package func delete(_ rows: PersonRows, of user: StreamID, limit: Int) throws -> Int {
        try access.change(rows.deleting, [user.value, limit])
    }

    /// A follow of the person goes; nothing remembers it.
    package func deleteFollow(of stream: StreamID, by user: StreamID) throws {
        try access.run("DELETE FROM follows WHERE follower = ? AND stream = ?", [user.value, stream.value])
    }

    /// Ends all registrations for pushes of a person.
    ///
    /// - Returns: how many there were.
    package func deleteDevices(of user: StreamID) throws -> Int {
        access.forgetPushDevices()
        return try access.change("DELETE FROM push_devices WHERE user = ?", [user.value])
    }

    /// Makes at most `limit` entries of a person's inbox nobody's; what only this inbox had is gone.
    ///
    /// - Returns: how many there were.
    package func silenceInbox(of user: StreamID, limit: Int) throws -> Int {
        let own = try access.change(
            """
            UPDATE changes SET stream = 0, body = iif(second IS NULL, NULL, body) WHERE seq IN
            (SELECT seq FROM changes WHERE stream = ? AND n IS NULL ORDER BY seq LIMIT ?)
            """,
            [user.value, limit])
        guard own < limit else { return own }
        return try own
            + access.change(
                """
                UPDATE changes SET second = NULL WHERE seq IN
                (SELECT seq FROM changes WHERE second = ? ORDER BY seq LIMIT ?)
                """,
                [user.value, limit - own])
    }

    /// An entry of the log becomes nobody's, and loses its content.
    package func silence(_ position: Int64) throws {
        try access.run("UPDATE changes SET stream = 0, second = NULL, body = NULL WHERE seq = ?", [position])
    }

    /// Makes at most `limit` entries of a chat's stream nobody's.
    ///
    /// - Returns: how many there were.
    package func silenceChat(_ chat: Int64, limit: Int) throws -> Int {
        let stream = StreamID(chat: chat).value
        let events = try access.change(
            """
            UPDATE changes SET stream = 0, body = NULL WHERE seq IN
            (SELECT seq FROM changes WHERE stream = ? AND n IS NULL ORDER BY seq LIMIT ?)
            """,
            [stream, limit])
        guard events < limit else { return events }
        return try events
            + access.change(
                """
                UPDATE changes SET stream = 0, body = NULL, n = NULL WHERE stream = ?1 AND seq IN
                (SELECT seq FROM messages WHERE chat = ?2 ORDER BY n LIMIT ?3)
                """,
                [stream, chat, limit - events])
    }

    /// Deletes at most `limit` messages of a chat, the oldest first.
    ///
    /// - Returns: how many there were.
    package func deleteMessages(of chat: Int64, limit: Int) throws -> Int {
        try access.run("DELETE FROM past_messages WHERE chat = ?", [chat])
        try access.run("DELETE FROM reactions WHERE chat = ?", [chat])
        return try access.change(
            "DELETE FROM messages WHERE (chat, n) IN (SELECT chat, n FROM messages WHERE chat = ? ORDER BY n LIMIT ?)",
            [chat, limit])
    }

    /// The author's own key of a message goes.
    package func clearKey(of n: MessageNumber, in chat: Int64) throws {
        try access.run(
            "UPDATE messages SET key = NULL WHERE chat = ? AND n = ? AND key IS NOT NULL", [chat, n])
    }

    /// Earlier texts of a person's messages, which are kept for reports, go.
    ///
    /// - Returns: how many there were.
    package func deletePast(of user: StreamID, in chat: Int64, _ numbers: ClosedRange<MessageNumber>) throws -> Int {
        try access.change(
            """
            DELETE FROM past_messages WHERE chat = ?1 AND n BETWEEN ?2 AND ?3
            AND (SELECT author FROM messages WHERE messages.chat = ?1 AND messages.n = past_messages.n) = ?4
            """,
            [chat, numbers.lowerBound, numbers.upperBound, user.value])
    }

    /// A document goes with its versions, and its content from the log; nothing of its path is left but the entries from which
    /// others hear that it is gone.
    ///
    /// - Parameter limit: of versions.
    /// - Returns: whether all of them went.
    package func deleteDocument(_ path: String, versions limit: Int) throws -> Bool {
        try access.run(
            """
            UPDATE changes SET stream = 0, second = NULL, body = NULL WHERE substr(body, -12) <> '"data":null}'
            AND seq IN (SELECT seq FROM document_versions WHERE path = ? ORDER BY seq LIMIT ?)
            """,
            [path, limit])
        let versions = try access.change(
            """
            DELETE FROM document_versions WHERE seq IN
            (SELECT seq FROM document_versions WHERE path = ? ORDER BY seq LIMIT ?)
            """,
            [path, limit])
        guard versions < limit else { return false }
        try access.run("DELETE FROM documents WHERE path = ?", [path])
        return true
    }

    /// The traces of a change of a document that is not there any more go: its content in the log, and in the history.
    ///
    /// The change that has deleted the document keeps its entry, from which others hear that it is gone.
    ///
    /// - Returns: the change, and the one after it if that has deleted the document.
    package func deleteContent(ofGone path: String, leftBy change: Int64) throws -> [Int64] {
        let later: [(seq: Int64, hasBefore: Bool)] = try access.all(
            "SELECT seq, before IS NOT NULL FROM document_versions WHERE path = ? AND seq > ? ORDER BY seq LIMIT 2",
            [path, change]
        ) { try ($0[0], $0[1]) }
        guard let next = later.first, next.hasBefore else { return [change] }
        try silence(change)
        try access.run("UPDATE document_versions SET before = NULL WHERE seq = ?", [next.seq])
        let isDeletion = later.count == 1 || !later[1].hasBefore
        return isDeletion ? [change, next.seq] : [change]
    }

    /// The person has the pseudonym from here on, and nothing else is known.
    package func rename(_ user: StreamID, to pseudonym: UserID, at position: Position) throws {
        try access.run(
            """
            UPDATE users SET name = ?, language = NULL, device_language = NULL, preferences = NULL, zone = NULL,
            unread_chats = 0, unread_inbox = 0, seen_up_to = ?, acknowledged = 0, follows = 0 WHERE id = ?
            """,
            [pseudonym.text, position.value, user.value])
        try access.run("UPDATE streams SET name = ? WHERE id = ?", ["@" + pseudonym.text, user.value])
    }
}
