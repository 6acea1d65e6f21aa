import GRDB

/// All tables as they are after one commit, to be read by another thread while the writer writes on.
///
/// SQLite's log grows until it is closed, as while a ``DatabaseCopy`` is made.
///
/// - Confinement: any
package final class DatabaseSnapshot: Sendable {
    private let queue: DatabaseQueue

    /// The tables as they are now.
    ///
    /// - Throws: `DatabaseError`.
    package convenience init(of directory: DataDirectory) throws { try self.init(of: directory.databasePath) }

    /// - Throws: `DatabaseError`.
    fileprivate init(of databasePath: String) throws {
        var configuration = Configuration()
        configuration.label = "watchwise-tables"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        // The transaction is open from here to the end.
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: databasePath, configuration: configuration)
        try queue.inDatabase { database in
            try database.beginTransaction(.deferred)
            // The first read gives the transaction its snapshot.
            _ = try ReadAccess(database: database).number("SELECT count(*) FROM sqlite_master")
        }
    }

    /// Reads all tables.
    ///
    /// - Throws: `DatabaseError`.
    package func digest() throws -> DatabaseDigest { try queue.inDatabase { try DatabaseDigest(of: $0) } }

    /// Runs `body` on the snapshot.
    ///
    /// - Throws: `DatabaseError`, or what `body` throws.
    package func read<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try queue.inDatabase { try body(Transaction(database: $0)) }
    }

    /// Lets SQLite's log be used again; nothing may be read afterwards.
    package func close() throws { try queue.close() }
}

extension Writer {
    /// The tables as the newest commit has left them. It opens a connection, and reads no table.
    ///
    /// - Throws: `DatabaseError`.
    package func snapshotTables() throws -> DatabaseSnapshot { try DatabaseSnapshot(of: databasePath) }
}
