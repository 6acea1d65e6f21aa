package import Log
package import Model

/// A trigger that is to fire for a document at a time.
///
/// - Confinement: any
package struct ScheduleEntry: Sendable {
    package let trigger: String
    package let path: String
    package let due: Timestamp
    /// Position of the change that set the time.
    package let change: Position
    /// The notification, rendered when the time was set, as the JSON of an object.
    package let wanted: String
    /// The content of its webhook, see ``WebhookDraft``; nil when the row has none.
    package var webhook: String?

    package init(trigger: String, path: String, due: Timestamp, change: Position, wanted: String) {
        self.trigger = trigger
        self.path = path
        self.due = due
        self.change = change
        self.wanted = wanted
    }
}

/// The trigger table's rows, the times at which some of them are to fire, and those that failed.
///
/// - Confinement: store
package struct TriggerRowTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// Every row as its JSON, in the order of names.
    package func all() throws -> [String] {
        try access.all("SELECT row FROM triggers ORDER BY name") { try $0[0] }
    }

    /// One row as its JSON; nil when no row has the name.
    package func find(_ name: String) throws -> String? {
        try access.value("SELECT row FROM triggers WHERE name = ?", [name])
    }

    /// The position at which a row was put, if it stands there with this text.
    package func position(of name: String, row: String) throws -> Position? {
        try access.value("SELECT seq FROM triggers WHERE name = ? AND row = ?", [name, row])
    }

    /// Whether a trigger has something scheduled for a document.
    package func isScheduled(_ trigger: String, path: String) throws -> Bool {
        try access.number("SELECT count(*) FROM schedules WHERE trigger = ? AND path = ?", [trigger, path]) > 0
    }

    /// When a trigger's schedule for a document is due; nil when there is none.
    package func due(of trigger: String, path: String) throws -> Timestamp? {
        try access.value("SELECT due FROM schedules WHERE trigger = ? AND path = ?", [trigger, path])
    }

    /// The notification of a trigger's schedule for a document, as it was put; nil when there is none.
    package func wanted(of trigger: String, path: String) throws -> String? {
        try access.value("SELECT wanted FROM schedules WHERE trigger = ? AND path = ?", [trigger, path])
    }

    /// At most `limit` schedules after one, in the order of their times; nil for the first ones.
    package func page(
        after last: (due: Timestamp, trigger: String, path: String)?,
        limit: Int
    ) throws -> [ScheduleEntry] {
        try access.all(
            """
            \(ScheduleEntry.query) WHERE (due, trigger, path) > (?, ?, ?)
            ORDER BY due, trigger, path LIMIT ?
            """,
            [last?.due.milliseconds ?? .min, last?.trigger ?? "", last?.path ?? "", limit],
            ScheduleEntry.init
        )
    }

    /// Schedules whose notifications have a text in them, in the order of their keys. It reads all schedules.
    package func scheduled(with text: String) throws -> [ScheduleEntry] {
        try access.all(
            ScheduleEntry.query + " WHERE instr(wanted, ?) > 0 ORDER BY trigger, path", [text], ScheduleEntry.init)
    }

    /// At most `limit` schedules whose time has come, the oldest first.
    package func due(at now: Timestamp, limit: Int) throws -> [ScheduleEntry] {
        try access.all(
            ScheduleEntry.query + " WHERE due <= ? ORDER BY due LIMIT ?",
            [now.milliseconds, limit],
            ScheduleEntry.init
        )
    }

    /// When the next schedule is due or the next notification expires, whichever is earlier; nil when there is neither.
    package func nextDue() throws -> Timestamp? {
        try access.value(
            """
            SELECT min(due) FROM (SELECT min(due) AS due FROM schedules UNION ALL
            SELECT min(expires) FROM notifications WHERE removed IS NULL AND expires IS NOT NULL)
            """
        )
    }

    // MARK: Failures

    /// Failures that are listed.
    package func countDead() throws -> Int64 {
        try access.number("SELECT count(*) FROM dead")
    }
}

extension TriggerRowTable where Access == WriteAccess {
    /// Writes a row, new or over the old one, at the position of the change.
    package func put(_ name: String, row: String, at position: Position) throws {
        try access.run(
            """
            INSERT INTO triggers(name, row, seq) VALUES (?, ?, ?)
            ON CONFLICT(name) DO UPDATE SET row = excluded.row, seq = excluded.seq
            """,
            [name, row, position.value]
        )
    }

    /// Writes a row in which only a note of the server has changed: it was not put.
    package func note(_ name: String, row: String) throws {
        try access.run("UPDATE triggers SET row = ? WHERE name = ?", [row, name])
    }

    /// False when there is no such row.
    package func delete(_ name: String) throws -> Bool {
        try access.change("DELETE FROM triggers WHERE name = ?", [name]) > 0
    }

    /// Sets, or moves, the time at which a trigger fires for a document.
    package func schedule(_ schedule: ScheduleEntry) throws {
        try access.run(
            """
            INSERT INTO schedules(trigger, path, due, change, wanted) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT(trigger, path) DO UPDATE
            SET due = excluded.due, change = excluded.change, wanted = excluded.wanted, webhook = NULL
            """,
            [
                schedule.trigger, schedule.path, schedule.due.milliseconds, schedule.change.value, schedule.wanted,
            ]
        )
    }

    /// Drops a trigger's schedule for a document.
    ///
    /// - Returns: when it was due; nil when there was none.
    @discardableResult
    package func unschedule(_ trigger: String, path: String) throws -> Timestamp? {
        try access.all("DELETE FROM schedules WHERE trigger = ? AND path = ? RETURNING due", [trigger, path]) {
            try $0[0]
        }.min()
    }

    /// Drops everything scheduled for a document.
    ///
    /// - Returns: when each trigger's schedule was due.
    @discardableResult
    package func unschedule(path: DocumentPath) throws -> [String: Timestamp] {
        let dropped = try access.all("DELETE FROM schedules WHERE path = ? RETURNING trigger, due", [path.text]) {
            (try $0[0] as String, try $0[1] as Timestamp)
        }
        return Dictionary(dropped, uniquingKeysWith: min)
    }

    /// Drops everything scheduled by a trigger.
    package func unschedule(trigger: String) throws {
        try access.run("DELETE FROM schedules WHERE trigger = ?", [trigger])
    }

    /// Adds a webhook to a trigger's schedule for a document: it goes out when that fires.
    package func schedule(webhook: String, of trigger: String, path: String) throws {
        try access.run("UPDATE schedules SET webhook = ? WHERE trigger = ? AND path = ?", [webhook, trigger, path])
    }

    /// Lists a failure: which trigger gave up on which change of which document, and why.
    package func insertDead(
        trigger: String,
        path: String,
        change: Position,
        reason: String,
        at: Timestamp
    ) throws {
        try access.run(
            "INSERT INTO dead(trigger, path, change, reason, at) VALUES (?, ?, ?, ?, ?)",
            [trigger, path, change.value, reason, at.milliseconds]
        )
    }
}

extension ScheduleEntry {
    private enum Column: Int, ColumnName {
        case trigger, path, due, change, wanted, webhook
    }

    fileprivate static let query = "SELECT \(Column.list()) FROM schedules"

    fileprivate init(_ row: Columns) throws {
        trigger = try row[Column.trigger]
        path = try row[Column.path]
        due = try row[Column.due]
        change = try row[Column.change]
        wanted = try row[Column.wanted]
        webhook = try row.optional(Column.webhook)
    }
}
