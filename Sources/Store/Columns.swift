import CSQLite

/// The columns of a row, by index; reading one of another type, or NULL where there must be a value, throws.
///
/// - Confinement: store; good until the statement's next step
@safe
struct Columns {
    private let statement: OpaquePointer

    init(statement: OpaquePointer) { unsafe self.statement = unsafe statement }

    /// - Throws: ``StoredValueProblem`` naming the column.
    subscript<Value: ColumnValue>(index: Int) -> Value {
        get throws {
            guard let value: Value = try optional(index) else { throw problem(index) }
            return value
        }
    }

    /// Nil for NULL.
    ///
    /// - Throws: ``StoredValueProblem`` naming the column.
    func optional<Value: ColumnValue>(_ index: Int) throws -> Value? {
        let column = CInt(truncatingIfNeeded: index)
        let type = unsafe sqlite3_column_type(statement, column)
        if type == SQLITE_NULL { return nil }
        guard type == Value.columnType else { throw problem(index) }
        return unsafe Value(statement, column)
    }

    private func problem(_ index: Int) -> StoredValueProblem {
        let column = CInt(truncatingIfNeeded: index)
        let name = unsafe sqlite3_column_name(statement, column).map { text in unsafe String(cString: text) }
        return StoredValueProblem(place: "column \(name ?? String(index))")
    }
}

/// What a column can be read as.
protocol ColumnValue {
    /// SQLite's type of such a column.
    static var columnType: CInt { get }
    /// Reads a column of that type.
    init(_ statement: OpaquePointer, _ column: CInt)
}

extension Int64: ColumnValue {
    static var columnType: CInt { SQLITE_INTEGER }

    init(_ statement: OpaquePointer, _ column: CInt) { self = unsafe sqlite3_column_int64(statement, column) }
}

extension Bool: ColumnValue {
    static var columnType: CInt { SQLITE_INTEGER }

    init(_ statement: OpaquePointer, _ column: CInt) { self = unsafe sqlite3_column_int64(statement, column) != 0 }
}

extension String: ColumnValue {
    static var columnType: CInt { SQLITE_TEXT }

    init(_ statement: OpaquePointer, _ column: CInt) {
        let start = unsafe sqlite3_column_text(statement, column)
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        self = unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
