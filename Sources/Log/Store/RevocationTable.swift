package import Log
package import Model

/// A revocation as stored.
///
/// - Confinement: any
package struct RevocationEntry: Sendable {
    package let id: Int64
    package let revocation: Revocation
    package let at: Timestamp
    /// The subject of the admin token that did it.
    package let by: String
    package let reason: String?
}

/// Tokens that were revoked before they expired, each kept until it would have.
///
/// - Confinement: store
package struct RevocationTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// All that are kept, for the start of a server: one that is over only because the clock is fast is in force again
    /// when the clock is set back.
    package func all() throws -> [Revocation] {
        try access.all(RevocationEntry.query + " ORDER BY id", [], RevocationEntry.init).map(\.revocation)
    }

    /// A page of those in force, newest first.
    ///
    /// - Parameter number: the number before which the page begins; nil for the first.
    package func page(before number: Int64?, limit: Int, at now: Timestamp) throws -> [RevocationEntry] {
        try access.all(
            RevocationEntry.query + " WHERE id < ? AND until > ? ORDER BY id DESC LIMIT ?",
            [number ?? .max, now.milliseconds, limit], RevocationEntry.init)
    }

    /// The revocation of a number; nil when there is none.
    package func find(_ id: Int64) throws -> RevocationEntry? {
        try access.first(RevocationEntry.query + " WHERE id = ?", [id], RevocationEntry.init)
    }

    /// How many are in force.
    package func count(at now: Timestamp) throws -> Int64 {
        try access.number("SELECT count(*) FROM revocations WHERE until > ?", [now.milliseconds])
    }
}

extension RevocationTable where Access == WriteAccess {
    /// Keeps a revocation; tokens that were revoked already stay so at least as far and as long.
    ///
    /// - Returns: it as it now is.
    package func put(_ revocation: Revocation, at: Timestamp, by: String, reason: String?) throws -> RevocationEntry? {
        let subject: (token: String?, user: String?, issuedUpTo: Int64?) =
            switch revocation.subject {
            case .token(let id): (id, nil, nil)
            case .user(let user, let time): (nil, user.text, time.milliseconds)
            }
        try access.run(
            """
            INSERT INTO revocations(token, user, issued_up_to, until, at, by, reason) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET issued_up_to = max(issued_up_to, excluded.issued_up_to),
                until = max(until, excluded.until), at = excluded.at, by = excluded.by, reason = excluded.reason
            """,
            [
                subject.token, subject.user, subject.issuedUpTo, revocation.until.milliseconds, at.milliseconds, by,
                reason,
            ])
        return try access.first(
            RevocationEntry.query + " WHERE token = ? OR user = ?", [subject.token, subject.user], RevocationEntry.init)
    }

    /// Lifts a revocation.
    package func delete(_ id: Int64) throws {
        try access.run("DELETE FROM revocations WHERE id = ?", [id])
    }
}

extension RevocationEntry {
    private enum Column: Int, ColumnName {
        case id, token, user, issuedUpTo, until, at, by, reason
    }

    fileprivate static let query = "SELECT \(Column.list()) FROM revocations"

    fileprivate init(_ row: Columns) throws {
        let id: Int64 = try row[Column.id]
        let subject: Revocation.Subject
        if let token: String = try row.optional(Column.token) {
            subject = .token(token)
        } else if let name: String = try row.optional(Column.user), let user = UserID(stored: name) {
            subject = .user(user, issuedUpTo: try row[Column.issuedUpTo])
        } else {
            throw StoredValueProblem(place: "revocations \(id)")
        }
        self.id = id
        revocation = try Revocation(subject, until: row[Column.until])
        at = try row[Column.at]
        by = try row[Column.by]
        reason = try row.optional(Column.reason)
    }
}
