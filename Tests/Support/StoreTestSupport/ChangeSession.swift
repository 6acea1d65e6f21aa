import CSQLite
import CSQLiteSession
import GRDB

/// The rows that SQLite itself says have changed, each as its table and its key (sqlite.org/session/intro.html).
///
/// - Confinement: one thread at a time
@safe
final class ChangeSession {
    private let session: OpaquePointer

    /// Begins to look at all tables of a connection.
    init(on database: OpaquePointer) throws {
        var session: OpaquePointer?
        try Self.check(unsafe sqlite3session_create(database, "main", &session))
        guard let session = unsafe session else { throw DatabaseError(message: "no session") }
        unsafe self.session = unsafe session
    }

    deinit { unsafe sqlite3session_delete(session) }

    /// From here on, changes are noted.
    func begin() throws { try Self.check(unsafe sqlite3session_attach(session, nil)) }

    /// Notes the rows of a table that differ between the database `from` and the connection's main one.
    func note(_ table: String, differsFrom from: String) throws {
        try Self.check(unsafe sqlite3session_diff(session, from, table, nil))
    }

    /// The rows noted so far.
    func rows() throws -> Set<String> {
        var count: CInt = 0
        var bytes: UnsafeMutableRawPointer?
        try Self.check(unsafe sqlite3session_changeset(session, &count, &bytes))
        defer { unsafe sqlite3_free(bytes) }
        var changes: OpaquePointer?
        try Self.check(unsafe sqlite3changeset_start(&changes, count, bytes))
        defer { _ = unsafe sqlite3changeset_finalize(changes) }
        var rows: Set<String> = []
        while unsafe sqlite3changeset_next(changes) == SQLITE_ROW { rows.insert(try unsafe Self.row(of: changes)) }
        return rows
    }

    /// The row of the present change.
    private static func row(of changes: OpaquePointer?) throws -> String {
        var table: UnsafePointer<CChar>?
        var columns: CInt = 0
        var operation: CInt = 0
        try check(unsafe sqlite3changeset_op(changes, &table, &columns, &operation, nil))
        var isKey: UnsafeMutablePointer<UInt8>?
        try check(unsafe sqlite3changeset_pk(changes, &isKey, nil))
        var row = unsafe table.map { unsafe String(cString: $0) } ?? ""
        for column in 0..<columns where unsafe isKey?[Int(column)] == 1 {
            var value: OpaquePointer?
            try check(
                unsafe operation == SQLITE_INSERT
                    ? sqlite3changeset_new(changes, column, &value) : sqlite3changeset_old(changes, column, &value))
            row += " " + (unsafe sqlite3_value_text(value).map { unsafe String(cString: $0) } ?? "NULL")
        }
        return row
    }

    private static func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
