import GRDBSQLite

/// A value of SQLite, the result of an expression in a trigger's row.
///
/// - Confinement: any
package enum SQLValue: Sendable, Hashable, CustomStringConvertible {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// A blob; only its length is kept.
    case blob(bytes: Int)

    /// The value as SQL writes it, cut at 100 characters: for the trail of a notification.
    package var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): "'\(value.prefix(100))'"
        case .blob(let bytes): "a blob of \(bytes) bytes"
        }
    }

    /// The value of a column of the current row.
    @unsafe
    init(column: Int32, of statement: OpaquePointer) {
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: self = unsafe .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: self = unsafe .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            guard let bytes = unsafe sqlite3_column_text(statement, column) else {
                self = .null
                return
            }
            let count = unsafe Int(sqlite3_column_bytes(statement, column))
            self = unsafe .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        case SQLITE_BLOB: self = unsafe .blob(bytes: Int(sqlite3_column_bytes(statement, column)))
        default: self = .null
        }
    }
}
