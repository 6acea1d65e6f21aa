import CSQLite
import Model

/// The columns of a row, by their places in the query; to read one of another type, or NULL where there must be a
/// value, is an error.
///
/// - Confinement: store; good until the statement's next step
@safe
struct Columns {
    private let statement: OpaquePointer

    init(statement: OpaquePointer) { unsafe self.statement = unsafe statement }

    /// - Throws: ``StoredValueProblem`` naming the column.
    subscript<Value: ColumnValue>(place: Int) -> Value {
        get throws {
            guard let value: Value = try optional(place) else { throw problem(place) }
            return value
        }
    }

    /// Nil for NULL.
    ///
    /// - Throws: ``StoredValueProblem`` naming the column.
    func optional<Value: ColumnValue>(_ place: Int) throws -> Value? {
        let column = CInt(truncatingIfNeeded: place)
        let type = unsafe sqlite3_column_type(statement, column)
        if type == SQLITE_NULL { return nil }
        guard type == Value.columnType else { throw problem(place) }
        return unsafe Value(statement, column)
    }

    /// The same by the column's name.
    subscript<Value: ColumnValue>(name: some ColumnName) -> Value {
        get throws { try self[name.rawValue] }
    }

    /// The same by the column's name.
    func optional<Value: ColumnValue>(_ name: some ColumnName) throws -> Value? { try optional(name.rawValue) }

    private func problem(_ place: Int) -> StoredValueProblem {
        let column = CInt(truncatingIfNeeded: place)
        let name = unsafe sqlite3_column_name(statement, column).map { text in unsafe String(cString: text) }
        return StoredValueProblem(place: "column \(name ?? String(place))")
    }
}

/// The columns from which rows of one type are read, each named once: the cases stand in the order in which queries
/// select them.
protocol ColumnName: CaseIterable, RawRepresentable<Int> {}

extension ColumnName {
    /// The columns as a query selects them; the case `seenUpTo` is the column `seen_up_to`.
    ///
    /// - Parameter prefix: the table's name in the query, with a full stop.
    static func list(_ prefix: String = "") -> String {
        let names = allCases.map { name in
            "\(name)".reduce(into: prefix) { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
        }
        return names.joined(separator: ", ")
    }

    /// A parameter for each column, for a statement that inserts rows.
    static var parameters: String { allCases.map { _ in "?" }.joined(separator: ", ") }
}

/// A type as which a column can be read.
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

extension StreamID: ColumnValue {
    static var columnType: CInt { Int64.columnType }

    init(_ statement: OpaquePointer, _ column: CInt) { unsafe self.init(stored: Int64(statement, column)) }
}

extension Position: ColumnValue {
    static var columnType: CInt { Int64.columnType }

    init(_ statement: OpaquePointer, _ column: CInt) { unsafe self.init(Int64(statement, column)) }
}

extension Timestamp: ColumnValue {
    static var columnType: CInt { Int64.columnType }

    init(_ statement: OpaquePointer, _ column: CInt) { unsafe self.init(milliseconds: Int64(statement, column)) }
}
