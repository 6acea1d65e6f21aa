import GRDB
package import Model

/// The trigger table's rows, the times at which some of them are to fire, and those that failed.
///
/// - Confinement: store
package struct TriggerRowTable {
    let database: Database

    /// Every row as its JSON, in the order of names.
    package func all() throws -> [String] {
        try database.all("SELECT row FROM triggers ORDER BY name") { try $0[0] }
    }

    /// One row as its JSON; nil when there is none of the name.
    package func find(_ name: String) throws -> String? {
        try database.first("SELECT row FROM triggers WHERE name = ?", [name]) { try $0[0] }
    }

    /// The position at which a row was put, if it stands there with this text.
    package func position(of name: String, row: String) throws -> Position? {
        try database.first("SELECT seq FROM triggers WHERE name = ? AND row = ?", [name, row]) { Position(try $0[0]) }
    }

    /// Writes a row, new or over the old one, at the position of the change.
    package func put(_ name: String, row: String, at position: Position) throws {
        try database.run(
            """
            INSERT INTO triggers(name, row, seq) VALUES (?, ?, ?)
            ON CONFLICT(name) DO UPDATE SET row = excluded.row, seq = excluded.seq
            """,
            [name, row, position.value]
        )
    }

    /// Writes a row of which only a note of the server's has changed: it was not put.
    package func note(_ name: String, row: String) throws {
        try database.run("UPDATE triggers SET row = ? WHERE name = ?", [row, name])
    }

    /// False when there is no such row.
    package func delete(_ name: String) throws -> Bool {
        try database.run("DELETE FROM triggers WHERE name = ?", [name])
        return database.changesCount > 0
    }

    // MARK: Schedules

    /// A trigger that is to fire for a document at a time.
    package struct Schedule: Sendable {
        package let trigger: String
        package let path: String
        package let due: Timestamp
        /// Position of the change that set the time.
        package let change: Position
        /// The notification, rendered when the time was set, as the JSON of an object.
        package let wanted: String
        /// What its webhook is to bear, see ``WebhookDraft``; nil when the row has none.
        package var webhook: String?

        package init(trigger: String, path: String, due: Timestamp, change: Position, wanted: String) {
            self.trigger = trigger
            self.path = path
            self.due = due
            self.change = change
            self.wanted = wanted
        }
    }

    /// Sets, or moves, the time at which a trigger fires for a document.
    package func schedule(_ schedule: Schedule) throws {
        try database.run(
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

    /// Whether a trigger has something scheduled for a document.
    package func isScheduled(_ trigger: String, path: String) throws -> Bool {
        try database.number("SELECT count(*) FROM schedules WHERE trigger = ? AND path = ?", [trigger, path]) > 0
    }

    /// When what a trigger has scheduled for a document is due; nil when there is nothing.
    package func due(of trigger: String, path: String) throws -> Timestamp? {
        try database.first("SELECT due FROM schedules WHERE trigger = ? AND path = ?", [trigger, path]) {
            Timestamp(milliseconds: try $0[0])
        }
    }

    /// What a trigger has scheduled for a document, as it was put; nil when there is nothing.
    package func wanted(of trigger: String, path: String) throws -> String? {
        try database.first("SELECT wanted FROM schedules WHERE trigger = ? AND path = ?", [trigger, path]) { try $0[0] }
    }

    /// Drops what a trigger has scheduled for a document.
    ///
    /// - Returns: when it was due; nil when there was nothing.
    @discardableResult
    package func unschedule(_ trigger: String, path: String) throws -> Timestamp? {
        try database.all("DELETE FROM schedules WHERE trigger = ? AND path = ? RETURNING due", [trigger, path]) {
            Timestamp(milliseconds: try $0[0])
        }.min()
    }

    /// Drops everything scheduled for a document.
    ///
    /// - Returns: when what each trigger had scheduled was due.
    @discardableResult
    package func unschedule(path: DocumentPath) throws -> [String: Timestamp] {
        let dropped = try database.all("DELETE FROM schedules WHERE path = ? RETURNING trigger, due", [path.text]) {
            (try $0[0] as String, try Timestamp(milliseconds: $0[1]))
        }
        return Dictionary(dropped, uniquingKeysWith: min)
    }

    /// At most `limit` schedules behind one, in the order of their times; nil for the first ones.
    package func page(after last: (due: Timestamp, trigger: String, path: String)?, limit: Int) throws -> [Schedule] {
        try database.all(
            """
            SELECT trigger, path, due, change, wanted, webhook FROM schedules WHERE (due, trigger, path) > (?, ?, ?)
            ORDER BY due, trigger, path LIMIT ?
            """,
            [last?.due.milliseconds ?? .min, last?.trigger ?? "", last?.path ?? "", limit],
            Self.schedule
        )
    }

    /// Drops everything scheduled by a trigger.
    package func unschedule(trigger: String) throws {
        try database.run("DELETE FROM schedules WHERE trigger = ?", [trigger])
    }

    /// At most `limit` schedules whose time has come, the oldest first.
    package func due(at now: Timestamp, limit: Int) throws -> [Schedule] {
        try database.all(
            "SELECT trigger, path, due, change, wanted, webhook FROM schedules WHERE due <= ? ORDER BY due LIMIT ?",
            [now.milliseconds, limit],
            Self.schedule
        )
    }

    private static func schedule(_ row: Columns) throws -> Schedule {
        var schedule = Schedule(
            trigger: try row[0],
            path: try row[1],
            due: try Timestamp(milliseconds: row[2]),
            change: try Position(row[3]),
            wanted: try row[4]
        )
        schedule.webhook = try row.optional(5)
        return schedule
    }

    /// Has a webhook go out when what a trigger has scheduled for a document fires.
    package func schedule(webhook: String, of trigger: String, path: String) throws {
        try database.run("UPDATE schedules SET webhook = ? WHERE trigger = ? AND path = ?", [webhook, trigger, path])
    }

    /// When the next schedule is due or the next notification expires, whichever is earlier; nil when there is neither.
    package func nextDue() throws -> Timestamp? {
        let due = try database.first(
            """
            SELECT min(due) FROM (SELECT min(due) AS due FROM schedules UNION ALL
            SELECT min(expires) FROM notifications WHERE removed IS NULL AND expires IS NOT NULL)
            """
        ) { row -> Int64? in try row.optional(0) }
        return (due ?? nil).map(Timestamp.init(milliseconds:))
    }

    // MARK: Failures

    /// Lists a failure: which trigger gave up on which change of which document, and why.
    package func insertDead(
        trigger: String,
        path: String,
        change: Position,
        reason: String,
        at: Timestamp
    ) throws {
        try database.run(
            "INSERT INTO dead(trigger, path, change, reason, at) VALUES (?, ?, ?, ?, ?)",
            [trigger, path, change.value, reason, at.milliseconds]
        )
    }

    /// Failures that are listed.
    package func countDead() throws -> Int64 {
        try database.number("SELECT count(*) FROM dead")
    }
}
