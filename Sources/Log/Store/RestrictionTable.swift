package import Log
package import Model

/// A restriction as stored.
///
/// - Confinement: any
package struct RestrictionEntry: Sendable, Hashable {
    package let kind: Restriction.Kind
    /// When it ends by itself; nil for never.
    package let until: Timestamp?
    package let at: Timestamp
    /// The subject of the admin token.
    package let by: String
    /// The user gets it.
    package let reason: String

    package init(kind: Restriction.Kind, until: Timestamp?, at: Timestamp, by: String, reason: String) {
        self.kind = kind
        self.until = until
        self.at = at
        self.by = by
        self.reason = reason
    }

    /// Whether it holds at a time.
    package func holds(at now: Timestamp) -> Bool { until.map { now < $0 } ?? true }
}

/// People whom moderators keep from writing, or from coming in.
///
/// - Confinement: store
package struct RestrictionTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The user's restriction of a kind, also one that is over; nil when there is none.
    package func find(_ kind: Restriction.Kind, of user: StreamID) throws -> RestrictionEntry? {
        try access.first(
            RestrictionEntry.query + " WHERE user = ? AND kind = ?", [user.value, kind.rawValue], RestrictionEntry.init)
    }

    /// Whether a user may be restricted, or have limits of their own. False is certain.
    package func mayHold(_ user: StreamID) throws -> Bool { try access.isMarked(user) }

    /// The user's restriction of a kind that holds at a time.
    package func inForce(_ kind: Restriction.Kind, of user: StreamID, at now: Timestamp) throws -> RestrictionEntry? {
        guard try access.isMarked(user), let entry = try find(kind, of: user), entry.holds(at: now) else { return nil }
        return entry
    }

    /// People who may not come in, for the start of a server; a ban that is over holds again when the clock is set back.
    package func keptOut() throws -> [Restriction] {
        try access.all(
            """
            SELECT users.name, restrictions.until, restrictions.reason, restrictions.kind FROM restrictions
            JOIN users ON users.id = restrictions.user WHERE restrictions.kind <> 'mute' ORDER BY users.id, restrictions.kind
            """
        ) { row in
            guard let name = try UserID(stored: row[0]), let kind = try Restriction.Kind(rawValue: row[3]) else {
                throw StoredValueProblem(place: "restrictions")
            }
            return try Restriction(kind, of: name, until: row.optional(1), reason: row[2])
        }
    }

    /// The number of people who may not come in at a time.
    package func countKeptOut(at now: Timestamp) throws -> Int64 {
        try access.number(
            "SELECT count(DISTINCT user) FROM restrictions WHERE kind <> 'mute' AND (until IS NULL OR until > ?)",
            [now.milliseconds])
    }
}

extension RestrictionTable where Access == WriteAccess {
    /// Keeps a restriction in place of the user's earlier one of its kind.
    package func put(_ entry: RestrictionEntry, of user: StreamID) throws {
        try access.run(
            """
            INSERT INTO restrictions(user, kind, until, at, by, reason) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET until = excluded.until, at = excluded.at, by = excluded.by,
            reason = excluded.reason
            """,
            [
                user.value, entry.kind.rawValue, entry.until?.milliseconds, entry.at.milliseconds, entry.by,
                entry.reason,
            ])
        access.mark(user)
    }

    /// Ends a restriction.
    package func delete(_ kind: Restriction.Kind, of user: StreamID) throws {
        try access.run("DELETE FROM restrictions WHERE user = ? AND kind = ?", [user.value, kind.rawValue])
    }
}

extension RestrictionEntry {
    private enum Column: Int, ColumnName {
        case kind, until, at, by, reason
    }

    fileprivate static let query = "SELECT \(Column.list()) FROM restrictions"

    fileprivate init(_ row: Columns) throws {
        guard let kind = try Restriction.Kind(rawValue: row[Column.kind]) else {
            throw StoredValueProblem(place: "restrictions.kind")
        }
        try self.init(
            kind: kind, until: row.optional(Column.until), at: row[Column.at], by: row[Column.by],
            reason: row[Column.reason])
    }
}
