import CSQLite
package import Model

/// The columns of a row, by their places in the query; to read one of another type, or NULL where there must be a
/// value, is an error.
///
/// - Confinement: store; good until the statement's next step
@safe
@usableFromInline
package struct Columns {
    @usableFromInline
    let statement: OpaquePointer

    init(statement: OpaquePointer) { unsafe self.statement = unsafe statement }

    /// - Throws: ``StoredValueProblem`` naming the column.
    @inlinable
    package subscript<Value: ColumnValue>(place: Int) -> Value {
        get throws {
            guard let value: Value = try optional(place) else { throw problem(place) }
            return value
        }
    }

    /// Nil for NULL.
    ///
    /// - Throws: ``StoredValueProblem`` naming the column.
    @inlinable
    package func optional<Value: ColumnValue>(_ place: Int) throws -> Value? {
        let column = CInt(truncatingIfNeeded: place)
        guard try holds(Value.columnType, in: column) else { return nil }
        return unsafe Value(statement, column)
    }

    /// Whether a column has a value; it must be of a type then.
    @usableFromInline
    func holds(_ expected: CInt, in column: CInt) throws -> Bool {
        let type = unsafe sqlite3_column_type(statement, column)
        if type == SQLITE_NULL { return false }
        guard type == expected else { throw problem(Int(column)) }
        return true
    }

    /// The same by the column's name.
    @inlinable
    package subscript<Value: ColumnValue>(name: some ColumnName) -> Value {
        get throws { try self[name.rawValue] }
    }

    /// The same by the column's name.
    @inlinable
    package func optional<Value: ColumnValue>(_ name: some ColumnName) throws -> Value? { try optional(name.rawValue) }

    @usableFromInline
    func problem(_ place: Int) -> StoredValueProblem {
        let column = CInt(truncatingIfNeeded: place)
        let name = unsafe sqlite3_column_name(statement, column).map { text in unsafe String(cString: text) }
        return StoredValueProblem(place: "column \(name ?? String(place))")
    }
}

/// The columns from which rows of one type are read, each named once: the cases stand in the order in which queries
/// select them.
@usableFromInline
package protocol ColumnName: CaseIterable, RawRepresentable<Int> {}

extension ColumnName {
    /// The columns as a query selects them; the case `seenUpTo` is the column `seen_up_to`.
    ///
    /// - Parameter prefix: the table's name in the query, with a full stop.
    package static func list(_ prefix: String = "") -> String {
        let names = allCases.map { name in
            "\(name)".reduce(into: prefix) { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
        }
        return names.joined(separator: ", ")
    }

    /// A parameter for each column, for a statement that inserts rows.
    package static var parameters: String { allCases.map { _ in "?" }.joined(separator: ", ") }
}

/// A type as which a column can be read.
@usableFromInline
package protocol ColumnValue {
    /// SQLite's type of such a column.
    static var columnType: CInt { get }
    /// Reads a column of that type.
    init(_ statement: OpaquePointer, _ column: CInt)
}

extension Int64: ColumnValue {
    @usableFromInline
    package static var columnType: CInt { SQLITE_INTEGER }

    @usableFromInline
    package init(_ statement: OpaquePointer, _ column: CInt) { self = unsafe sqlite3_column_int64(statement, column) }
}

extension Bool: ColumnValue {
    @usableFromInline
    package static var columnType: CInt { SQLITE_INTEGER }

    @usableFromInline
    package init(_ statement: OpaquePointer, _ column: CInt) {
        self = unsafe sqlite3_column_int64(statement, column) != 0
    }
}

extension String: ColumnValue {
    @usableFromInline
    package static var columnType: CInt { SQLITE_TEXT }

    @usableFromInline
    package init(_ statement: OpaquePointer, _ column: CInt) {
        let start = unsafe sqlite3_column_text(statement, column)
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        self = unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension StreamID: ColumnValue {
    package static var columnType: CInt { Int64.columnType }

    package init(_ statement: OpaquePointer, _ column: CInt) { unsafe self.init(stored: Int64(statement, column)) }
}

extension Position: ColumnValue {
    package static var columnType: CInt { Int64.columnType }

    package init(_ statement: OpaquePointer, _ column: CInt) { unsafe self.init(Int64(statement, column)) }
}

extension Timestamp: ColumnValue {
    package static var columnType: CInt { Int64.columnType }

    package init(_ statement: OpaquePointer, _ column: CInt) {
        unsafe self.init(milliseconds: Int64(statement, column))
    }
}
