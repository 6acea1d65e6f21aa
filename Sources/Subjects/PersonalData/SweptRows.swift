package import Log
package import Model
package import Store

/// Rows that go with time in the same way as those of other tables, as their table declares (``RowRetention``).
///
/// - Confinement: any
package struct SweptRows: Sendable {
    /// The clock of the column by which rows go.
    package enum Clock: Sendable, Hashable {
        /// A position in the log: rows up to the one to which the log is trimmed.
        case log
        /// The time at which a row was written.
        case age(RetentionKind)
        /// The time until which a row is in force.
        case over
    }

    package let table: TableName
    package let clock: Clock
    let sql: String

    private init?(_ table: TableName) {
        let column: String
        switch DeclaredTables[table].kept {
        case .log(let name): (clock, column) = (.log, name)
        case .age(let kind, let name): (clock, column) = (.age(kind), name)
        case .over(let name): (clock, column) = (.over, name)
        case .state, .with, .swept: return nil
        }
        self.table = table
        let key = DeclaredTables[table].key
        let list = key.joined(separator: ", ")
        let order = ([column] + key.filter { $0 != column }).joined(separator: ", ")
        sql = """
            DELETE FROM \(table.rawValue) WHERE (\(list)) IN
            (SELECT \(list) FROM \(table.rawValue) WHERE \(column) <= ? ORDER BY \(order) LIMIT ?)
            """
    }

    /// All that tables declare.
    package static let all: [SweptRows] = TableName.allCases.compactMap(SweptRows.init)
}

extension WriteTransaction {
    /// Deletes at most `limit` rows up to a position, or to a time in milliseconds, the oldest first.
    ///
    /// - Returns: how many there were.
    package func sweep(_ rows: SweptRows, upTo bound: Int64, limit: Int) throws -> Int {
        try access.change(rows.sql, [bound, limit])
    }
}
