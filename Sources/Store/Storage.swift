import CSQLite
import GRDB

/// The database: one connection that writes, any number that read.
///
/// WAL, so that readers never wait for the writer; `synchronous=FULL`, so that a commit is on the disk when it returns.
///
/// - Confinement: any
package enum Storage {
    /// Opens the writing connection, makes or migrates the tables, and gives a new database its epoch; also one that may
    /// have been put back from an older copy.
    ///
    /// A log that an earlier process left is first written again (``LeftLog``): what is read is then on the disk.
    ///
    /// - Throws: `DatabaseError` with SQLite's code, or ``DataDirectory/Problem``.
    package static func openWriter(_ directory: DataDirectory) throws -> Writer {
        var configuration = Configuration()
        configuration.label = "watchwise-writer"
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // Here and not by `configuration.journalMode`, with which GRDB sets synchronous to NORMAL.
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "PRAGMA cache_size = -65536")
            // Eight times SQLite's own, 32 MB: a page that many commits write goes into the file once for all of them.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 8000")
            // What a savepoint would restore is kept in memory: in a file it cost hundreds of writes a commit.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        try LeftLog.rewrite(besides: directory.databasePath)
        try PrivateAccess.makeFile(directory.databasePath)
        let queue = try DatabaseQueue(path: directory.databasePath, configuration: configuration)
        try Schema.migrator.migrate(queue)
        // A file that cannot be opened for writing SQLite opens for reading, and never tries again: this writes nothing,
        // and fails there.
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "UPDATE meta SET value = value WHERE 0")
            // Behind that SQLite has opened its log.
            try database.bufferLog()
        }
        let writer = try Writer(queue: queue, witness: HeadWitness(of: directory))
        try LeftLog.flush(folder: directory.path)
        return writer
    }

    /// SQLite's counting of its memory is off once this was read; refused, and no matter, when something else opened a
    /// database first: so the folder's lock, which is one, reads it.
    static let withoutMemoryStatistics = watchwise_sqlite_without_memory_statistics()

    /// Opens one more reading connection.
    ///
    /// - Throws: `DatabaseError` with SQLite's code.
    package static func openReader(_ directory: DataDirectory) throws -> Reader {
        var configuration = Configuration()
        configuration.label = "watchwise-reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -16384")
        }
        return Reader(queue: try DatabaseQueue(path: directory.databasePath, configuration: configuration))
    }
}
