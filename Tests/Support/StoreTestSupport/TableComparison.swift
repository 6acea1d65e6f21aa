import CSQLite
import GRDB

/// Two files of databases, table by table, as they are committed.
///
/// - Confinement: one thread at a time
final class TableComparison {
    private let queue: DatabaseQueue

    /// - Parameters:
    ///   - original: the file of one database.
    ///   - copy: the file of the other.
    init(_ original: String, _ copy: String) throws {
        queue = try DatabaseQueue(path: original)
        try queue.inDatabase { database in
            try database.execute(sql: "ATTACH ? AS copy", arguments: [copy])
            // SQLite asks GRDB about each column that a statement reads. A comparison compiles two statements for each
            // table, and this took half of the time of the tests that compare.
            _ = unsafe sqlite3_set_authorizer(database.sqliteConnection, nil, nil)
        }
    }

    deinit { try? queue.close() }

    /// A sentence for each row that only one of them has. The table of the node alone is not compared.
    func differences() throws -> [String] {
        try queue.inDatabase { database in
            var found: [String] = []
            let tables = try Self.tables(of: "main", in: database)
            if tables != (try Self.tables(of: "copy", in: database)) { found.append("the tables are others") }
            for table in tables where table != "node" {
                for (one, two) in [("main", "copy"), ("copy", "main")] {
                    let rows = try Row.fetchAll(
                        database,
                        sql: "SELECT * FROM \(one).\"\(table)\" EXCEPT SELECT * FROM \(two).\"\(table)\" LIMIT 3")
                    found += rows.map { "only in the \(one == "main" ? "original" : one): \(table) \($0)" }
                }
            }
            return found
        }
    }

    /// The rows, by table and key, that differ.
    func changedRows() throws -> Set<String> {
        try queue.inDatabase { database in
            guard let handle = unsafe database.sqliteConnection else { return [] }
            let session = unsafe try ChangeSession(on: handle)
            try session.begin()
            for table in try Self.tables(of: "main", in: database) where !table.hasPrefix("sqlite_") {
                try session.note(table, differsFrom: "copy")
            }
            return try session.rows().filter { !$0.hasPrefix("node ") }
        }
    }

    private static func tables(of name: String, in database: Database) throws -> [String] {
        try String.fetchAll(
            database, sql: "SELECT name FROM \(name).sqlite_master WHERE type = 'table' ORDER BY name")
    }
}
