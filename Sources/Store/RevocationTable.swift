import GRDB
package import Model

/// Tokens that were revoked before they expired, each kept until it would have.
///
/// - Confinement: store
package struct RevocationTable {
    let database: Database

    /// A revocation as stored.
    package struct Entry: Sendable {
        package let id: Int64
        package let revocation: Revocation
        package let at: Timestamp
        /// The subject of the admin token that did it.
        package let by: String
        package let reason: String?
    }

    /// All that are kept, for the start of a server. Those that are over by a clock that is ahead are in force again when
    /// it comes back.
    package func all() throws -> [Revocation] {
        try database.all(Self.columns + "ORDER BY id", [], Self.entry).map(\.revocation)
    }

    /// A page of those in force, newest first.
    /// - Parameter number: the number behind which the page begins; nil for the first.
    package func page(before number: Int64?, limit: Int, at now: Timestamp) throws -> [Entry] {
        try database.all(
            Self.columns + "WHERE id < ? AND until > ? ORDER BY id DESC LIMIT ?",
            [number ?? .max, now.milliseconds, limit], Self.entry)
    }

    /// The revocation of a number; nil when there is none.
    package func find(_ id: Int64) throws -> Entry? {
        try database.first(Self.columns + "WHERE id = ?", [id], Self.entry)
    }

    /// How many are in force.
    package func count(at now: Timestamp) throws -> Int64 {
        try database.number("SELECT count(*) FROM revocations WHERE until > ?", [now.milliseconds])
    }

    /// Keeps a revocation; what was revoked already stays so at least as far and as long.
    ///
    /// - Returns: it as it now is.
    package func put(_ revocation: Revocation, at: Timestamp, by: String, reason: String?) throws -> Entry? {
        let subject: (token: String?, user: String?, issuedUpTo: Int64?) =
            switch revocation.subject {
            case .token(let id): (id, nil, nil)
            case .user(let user, let time): (nil, user.text, time.milliseconds)
            }
        try database.run(
            """
            INSERT INTO revocations(token, user, issued_up_to, until, at, by, reason) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET issued_up_to = max(issued_up_to, excluded.issued_up_to),
                until = max(until, excluded.until), at = excluded.at, by = excluded.by, reason = excluded.reason
            """,
            [
                subject.token, subject.user, subject.issuedUpTo, revocation.until.milliseconds, at.milliseconds, by,
                reason,
            ])
        return try database.first(
            Self.columns + "WHERE token = ? OR user = ?", [subject.token, subject.user], Self.entry)
    }

    /// Takes one away.
    package func delete(_ id: Int64) throws {
        try database.run("DELETE FROM revocations WHERE id = ?", [id])
    }

    /// Forgets some of those whose tokens have expired by a time anyway.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func deleteOver(at time: Timestamp, limit: Int) throws -> Int {
        try database.run(
            "DELETE FROM revocations WHERE id IN (SELECT id FROM revocations WHERE until <= ? LIMIT ?)",
            [time.milliseconds, limit])
        return database.changesCount
    }

    private static let columns = "SELECT id, token, user, issued_up_to, until, at, by, reason FROM revocations "

    private static func entry(_ row: Columns) throws -> Entry {
        let id: Int64 = try row[0]
        let subject: Revocation.Subject
        if let token: String = try row.optional(1) {
            subject = .token(token)
        } else if let name: String = try row.optional(2), let user = UserID(name) {
            subject = .user(user, issuedUpTo: Timestamp(milliseconds: try row[3]))
        } else {
            throw StoredValueProblem(place: "revocations \(id)")
        }
        return Entry(
            id: id,
            revocation: Revocation(subject, until: Timestamp(milliseconds: try row[4])),
            at: Timestamp(milliseconds: try row[5]),
            by: try row[6],
            reason: try row.optional(7)
        )
    }
}
