package import Log
package import Model

/// A report as stored.
///
/// - Confinement: any
package struct ReportEntry: Sendable {
    package let id: Int64
    package let at: Timestamp
    package let reporter: StreamID
    /// The user whom it is about.
    package let user: StreamID
    package let chat: String?
    package let n: MessageNumber?
    package let category: String
    package let reason: String?
    /// The reported message with those around it, as JSON; nil when no message was reported.
    package let copy: String?
    /// Nil while it is open.
    package let decision: ReportDecision?

    package init(
        id: Int64, at: Timestamp, reporter: StreamID, user: StreamID, chat: String?, n: MessageNumber?,
        category: String, reason: String?, copy: String?, decision: ReportDecision? = nil
    ) {
        self.id = id
        self.at = at
        self.reporter = reporter
        self.user = user
        self.chat = chat
        self.n = n
        self.category = category
        self.reason = reason
        self.copy = copy
        self.decision = decision
    }
}

/// The decision of moderators about a report.
///
/// - Confinement: any
package struct ReportDecision: Sendable, Hashable {
    package let at: Timestamp
    package let action: String
    /// When a restriction that it brought ends.
    package let until: Timestamp?
    /// The user gets it.
    package let statement: String
    /// For moderators alone.
    package let note: String?
    /// The subject of the admin token.
    package let by: String

    package init(at: Timestamp, action: String, until: Timestamp?, statement: String, note: String?, by: String) {
        self.at = at
        self.action = action
        self.until = until
        self.statement = statement
        self.note = note
        self.by = by
    }
}

/// The reports of users to moderators.
///
/// - Confinement: store
package struct ReportTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The number that the next report gets.
    package func nextID() throws -> Int64 { try access.number("SELECT coalesce(max(id), 0) + 1 FROM reports") }

    /// The report of a number; nil when there is none.
    package func find(_ id: Int64) throws -> ReportEntry? {
        try access.first(ReportEntry.query + " WHERE id = ?", [id], ReportEntry.init)
    }

    /// The report that a reporter has made of the same before: of a message at any time, of a person or a chat while it is
    /// open.
    package func find(
        of user: StreamID, by reporter: StreamID, chat: String?, n: MessageNumber?
    ) throws -> ReportEntry? {
        try access.first(
            ReportEntry.query
                + """
                 WHERE reporter = ? AND user = ? AND chat IS ? AND n IS ? AND (n IS NOT NULL OR decided IS NULL)
                ORDER BY id DESC LIMIT 1
                """,
            [reporter.value, user.value, chat, n], ReportEntry.init)
    }

    /// The open reports of the same by all reporters, the oldest first.
    package func open(of user: StreamID, chat: String?, n: MessageNumber?) throws -> [ReportEntry] {
        try access.all(
            ReportEntry.query + " WHERE user = ? AND decided IS NULL AND chat IS ? AND n IS ? ORDER BY id",
            [user.value, chat, n], ReportEntry.init)
    }

    /// A page of reports, the newest first.
    ///
    /// - Parameters:
    ///   - isOpen: nil for all.
    ///   - category: nil for all.
    ///   - user: whom they are about; nil for all.
    ///   - number: the number before which the page begins.
    package func page(
        isOpen: Bool?, category: String?, user: StreamID?, before number: Int64, limit: Int
    ) throws -> [ReportEntry] {
        try access.all(
            ReportEntry.query
                + """
                 WHERE id < ?1 AND (?2 IS NULL OR (decided IS NULL) = ?2) AND (?3 IS NULL OR category = ?3)
                AND (?4 IS NULL OR user = ?4) ORDER BY id DESC LIMIT ?5
                """,
            [number, isOpen.map { $0 ? 1 : 0 }, category, user?.value, limit], ReportEntry.init)
    }

    /// When a reporter made the nth newest report; nil when there are fewer.
    package func time(ofNewest n: Int64, by reporter: StreamID) throws -> Timestamp? {
        try access.value(
            "SELECT at FROM reports WHERE reporter = ? ORDER BY at DESC LIMIT 1 OFFSET ?", [reporter.value, n - 1])
    }

    /// When the oldest report was made; nil when there is none.
    package func oldest() throws -> Timestamp? { try access.value("SELECT min(at) FROM reports") }

    /// The oldest reports that were made up to a time.
    package func made(upTo time: Timestamp, limit: Int) throws -> [ReportEntry] {
        try access.all(
            ReportEntry.query + " WHERE at <= ? ORDER BY at, id LIMIT ?", [time.milliseconds, limit], ReportEntry.init)
    }
}

extension ReportTable where Access == WriteAccess {
    /// Keeps an open report.
    package func insert(_ report: ReportEntry) throws {
        try access.run(
            """
            INSERT INTO reports(id, at, reporter, user, chat, n, category, reason, copy)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                report.id, report.at.milliseconds, report.reporter.value, report.user.value, report.chat, report.n,
                report.category, report.reason, report.copy,
            ])
    }

    /// A report is decided.
    package func decide(_ id: Int64, _ decision: ReportDecision) throws {
        try access.run(
            """
            UPDATE reports SET decided = ?, action = ?, until = ?, statement = ?, note = ?, by = ? WHERE id = ?
            """,
            [
                decision.at.milliseconds, decision.action, decision.until?.milliseconds, decision.statement,
                decision.note, decision.by, id,
            ])
    }

    /// A report goes, with its copy.
    package func delete(_ id: Int64) throws { try access.run("DELETE FROM reports WHERE id = ?", [id]) }
}

extension ReportEntry {
    private enum Column: Int, ColumnName {
        case id, at, reporter, user, chat, n, category, reason, copy, decided, action, until, statement, note, by
    }

    fileprivate static let query = "SELECT \(Column.list()) FROM reports"

    fileprivate init(_ row: Columns) throws {
        var decision: ReportDecision?
        if let decided: Timestamp = try row.optional(Column.decided) {
            decision = try ReportDecision(
                at: decided, action: row[Column.action], until: row.optional(Column.until),
                statement: row[Column.statement], note: row.optional(Column.note), by: row[Column.by])
        }
        try self.init(
            id: row[Column.id], at: row[Column.at], reporter: row[Column.reporter], user: row[Column.user],
            chat: row.optional(Column.chat), n: row.optional(Column.n), category: row[Column.category],
            reason: row.optional(Column.reason), copy: row.optional(Column.copy), decision: decision)
    }
}
