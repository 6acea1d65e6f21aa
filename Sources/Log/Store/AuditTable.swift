package import Log
package import Model

/// The actions of administrators, one row for each request. Nothing changes a row.
///
/// - Confinement: store
package struct AuditTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// A page, newest first.
    ///
    /// - Parameters:
    ///   - number: the number before which the page begins; nil for the first.
    ///   - looked: how many rows are looked at.
    /// - Returns: the rows, and the number of the last that was looked at; nil when there are no more.
    package func page(
        _ filter: AuditFilter, before number: Int64?, limit: Int, looked: Int
    ) throws -> (entries: [AuditEntry], next: Int64?) {
        let number = number ?? .max
        // The number of the last row that may be looked at.
        let last: Int64? = try access.value(
            "SELECT id FROM audit WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ?", [number, looked - 1])
        let entries = try access.all(
            """
            \(AuditEntry.query) WHERE id < ? AND id >= ? AND (? IS NULL OR actor = ?) AND (? IS NULL OR action = ?)
            AND (? IS NULL OR target = ?) ORDER BY id DESC LIMIT ?
            """,
            [
                number, last ?? 0, filter.actor, filter.actor, filter.action, filter.action, filter.target,
                filter.target, limit + 1,
            ], AuditEntry.init)
        guard entries.count <= limit else { return (Array(entries.prefix(limit)), entries[limit - 1].id) }
        guard let last, try access.number("SELECT EXISTS(SELECT 1 FROM audit WHERE id < ?)", [last]) > 0 else {
            return (entries, nil)
        }
        return (entries, last)
    }
}

extension AuditTable where Access == WriteAccess {
    /// Adds a row.
    package func insert(_ note: AuditNote, at time: Timestamp, _ outcome: AuditOutcome) throws {
        var input = StatementInput(access.subjects.statements.insertAudit, noting: access.recorder)
        input.add(time.milliseconds)
        input.add(note.kind?.rawValue)
        input.add(note.actor)
        input.add(note.tokenID)
        input.add(note.address)
        input.add(note.request)
        input.add(note.action)
        input.add(note.target)
        input.add(note.detail)
        input.add(outcome.text)
        try input.run()
    }

    /// When the oldest row was written; nil when there is none.
    package func oldest() throws -> Timestamp? { try access.value("SELECT at FROM audit ORDER BY id LIMIT 1") }

    /// Deletes those of the `limit` oldest rows that were written before a time. The newest row stays, so that no number
    /// is given twice.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func deleteOlder(than time: Timestamp, limit: Int) throws -> Int {
        try access.change(
            """
            DELETE FROM audit WHERE at < ? AND id IN (SELECT id FROM audit ORDER BY id LIMIT ?)
            AND id < (SELECT max(id) FROM audit)
            """,
            [time.milliseconds, limit])
    }
}

extension AuditEntry {
    private enum Column: Int, ColumnName {
        case id, at, kind, actor, jti, address, request, action, target, detail, outcome
    }

    fileprivate static let query = "SELECT \(Column.list()) FROM audit"

    fileprivate init(_ row: Columns) throws {
        id = try row[Column.id]
        at = try row[Column.at]
        note = AuditNote(
            try row.optional(Column.kind).flatMap(ActorKind.init), actor: try row[Column.actor],
            tokenID: try row.optional(Column.jti), address: try row[Column.address],
            request: try row[Column.request], action: try row[Column.action], target: try row[Column.target],
            detail: try row.optional(Column.detail))
        outcome = try row[Column.outcome]
    }
}
