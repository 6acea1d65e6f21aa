import GRDB

/// The few ways in which the tables use SQLite: cached statements with arguments, and rows with columns.
///
/// GRDB opens the database, keeps the statements and migrates. A run of one goes to SQLite directly: GRDB would do more
/// around each run, for observers and regions that nobody here uses, and that took more time than SQLite itself.
extension ReadAccess {
    /// The first row that a query gives, as `transform` reads it.
    @inlinable
    package func first<Value>(
        _ sql: String,
        _ arguments: [(any StatementArgument)?] = [],
        _ transform: (Columns) throws -> Value
    ) throws -> Value? {
        let run = try start(sql, arguments)
        defer { run.end() }
        return try run.step() ? transform(run.columns) : nil
    }

    /// Every row that a query gives, as `transform` reads it.
    @inlinable
    package func all<Value>(
        _ sql: String,
        _ arguments: [(any StatementArgument)?] = [],
        _ transform: (Columns) throws -> Value
    ) throws -> [Value] {
        let run = try start(sql, arguments)
        defer { run.end() }
        var values: [Value] = []
        while try run.step() { values.append(try transform(run.columns)) }
        return values
    }

    /// The one value that a query gives; nil when it gives NULL or no row.
    @inlinable
    package func value<Value: ColumnValue>(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws -> Value?
    {
        try first(sql, arguments) { try $0.optional(0) } ?? nil
    }

    /// The one number that a query gives; zero when it gives none.
    @inlinable
    package func number(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws -> Int64 {
        try first(sql, arguments) { try $0[0] } ?? 0
    }

    @usableFromInline
    package func start(_ sql: String, _ arguments: [(any StatementArgument)?]) throws -> StatementRun {
        let statement = try database.cachedStatement(sql: sql)
        guard let recorder else { return try StatementRun(statement, arguments) }
        return try StatementRun(statement, arguments, noting: recorder)
    }
}

extension WriteAccess {
    /// Runs a statement that returns nothing.
    package func run(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws {
        let run = try start(sql, arguments)
        defer { run.end() }
        while try run.step() {}
    }

    /// Runs a statement that writes rows.
    ///
    /// - Returns: how many it inserted, updated or deleted.
    package func change(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws -> Int {
        try run(sql, arguments)
        return changesCount
    }

    /// How many rows the last statement has inserted, updated or deleted.
    package var changesCount: Int { database.changesCount }

    /// The number of the row that was inserted last.
    package var lastInsertedRowID: Int64 { database.lastInsertedRowID }
}
