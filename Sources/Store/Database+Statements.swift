import GRDB

/// The few ways in which the tables use SQLite: cached statements, arguments and columns by their place.
///
/// GRDB opens the database, keeps the statements and migrates; running one goes to SQLite directly. What GRDB does
/// around each run, for observers and region tracking that nobody here uses, took more time than SQLite did.
extension Database {
    /// Runs a statement that returns nothing.
    func run(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws {
        let run = try StatementRun(cachedStatement(sql: sql), arguments)
        defer { run.end() }
        while try run.step() {}
    }

    /// The first row that a query gives, as `transform` reads it.
    func first<Value>(
        _ sql: String,
        _ arguments: [(any StatementArgument)?] = [],
        _ transform: (Columns) throws -> Value
    ) throws -> Value? {
        let run = try StatementRun(cachedStatement(sql: sql), arguments)
        defer { run.end() }
        return try run.step() ? transform(run.columns) : nil
    }

    /// Every row that a query gives, as `transform` reads it.
    func all<Value>(
        _ sql: String,
        _ arguments: [(any StatementArgument)?] = [],
        _ transform: (Columns) throws -> Value
    ) throws -> [Value] {
        let run = try StatementRun(cachedStatement(sql: sql), arguments)
        defer { run.end() }
        var values: [Value] = []
        while try run.step() { values.append(try transform(run.columns)) }
        return values
    }

    /// The one number that a query gives; zero when it gives none.
    func number(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws -> Int64 {
        try first(sql, arguments) { try $0[0] } ?? 0
    }
}
