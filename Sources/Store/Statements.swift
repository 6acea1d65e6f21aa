import GRDB

/// The few ways in which the tables use SQLite: cached statements, columns by index.
///
/// `StatementArguments` and `Row` are read by position; names cost a look-up for every value.
extension Database {
    /// Runs a statement that returns nothing.
    func run(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?] = []) throws {
        let statement = try cachedStatement(sql: sql)
        try statement.setArguments(StatementArguments(arguments))
        try statement.execute()
    }

    /// The first row that a query gives, as `transform` reads it.
    func first<Value>(
        _ sql: String,
        _ arguments: [(any DatabaseValueConvertible)?] = [],
        _ transform: (Columns) throws -> Value
    ) throws -> Value? {
        let statement = try cachedStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(arguments))
        guard let row = try rows.next() else { return nil }
        return try transform(Columns(row))
    }

    /// Every row that a query gives, as `transform` reads it.
    func all<Value>(
        _ sql: String,
        _ arguments: [(any DatabaseValueConvertible)?] = [],
        _ transform: (Columns) throws -> Value
    ) throws -> [Value] {
        let statement = try cachedStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(arguments))
        var values: [Value] = []
        while let row = try rows.next() {
            values.append(try transform(Columns(row)))
        }
        return values
    }

    /// The one number that a query gives; zero when it gives none.
    func number(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?] = []) throws -> Int64 {
        try first(sql, arguments) { try $0[0] } ?? 0
    }
}

/// The columns of a row, by index; reading one of another type, or NULL where there must be a value, throws.
///
/// GRDB's own subscripts trap instead.
struct Columns {
    private let row: Row

    init(_ row: Row) { self.row = row }

    /// - Throws: `RowDecodingError`
    subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(index: Int) -> Value {
        get throws { try row.decode(Value.self, atIndex: index) }
    }

    /// Nil for NULL.
    ///
    /// - Throws: `RowDecodingError`
    func optional<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) throws -> Value? {
        try row.decode(Value?.self, atIndex: index)
    }
}

/// A row of the database holds what this version never writes: a damaged file, or one of a later version.
///
/// - Confinement: any
package struct StoredValueProblem: Error, Sendable, CustomStringConvertible {
    /// Table, column and row, for the operator's log.
    package let place: String

    package init(place: String) { self.place = place }

    package var description: String { "the database holds an unreadable value in \(place)" }
}
