import GRDB

/// The connection that writes, with its prepared statements and the rows it remembers.
///
/// After a fault that puts its caches in doubt another one is opened, which takes over nothing.
///
/// - Confinement: store
final class WriterConnection {
    let queue: DatabaseQueue
    /// Nil before ``prepare()``, and when the connection is closed: SQLite closes it when its statements are gone.
    private(set) var access: WriteAccess?
    /// The space that the log takes on the disk.
    let room: LogRoom

    /// - Throws: `DatabaseError` with SQLite's code.
    init(_ databasePath: String) throws {
        queue = try DatabaseQueue(path: LogBuffer.address(of: databasePath), configuration: Self.configuration)
        room = LogRoom(of: databasePath)
    }

    /// Makes the statements and the memory, for which the tables must be there.
    ///
    /// - Throws: `DatabaseError` with SQLite's code.
    func prepare(_ plan: TablePlan) throws {
        access = try queue.writeWithoutTransaction { database in
            // SQLite opens a file for reading that cannot be opened for writing, and never tries again: this writes
            // nothing, and fails there.
            try database.execute(sql: NodeWrites.trial)
            // After that SQLite has opened its log.
            try database.bufferLog()
            return try WriteAccess(preparing: database, plan)
        }
    }

    /// From here on a commit is written and not flushed, see ``MemberLog``.
    func relyOnJournal() throws { try queue.writeWithoutTransaction { try $0.bufferLog(flushesCommits: false) } }

    /// After a write that found the disk full: frees the space that the log can give.
    ///
    /// - Throws: `DatabaseError` when it can give none.
    func makeRoom() throws { try queue.writeWithoutTransaction { try room.make($0) } }

    /// Whether the log takes so much of the disk that the disk is full because of it.
    var logFillsDisk: Bool { room.logFillsDisk }

    /// Forgets what an undone transaction has left in memory.
    func forget() {
        access?.forget()
        queue.writeWithoutTransaction { $0.forgetLog() }
    }

    /// Closes the connection.
    ///
    /// - Parameter isLast: moves the log of SQLite into the database's file first, so that one file is left.
    func close(isLast: Bool) throws {
        access = nil
        if isLast {
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        try queue.close()
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "watchwise-writer"
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // Here and not by `configuration.journalMode`, with which GRDB sets synchronous to NORMAL.
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // Deleted rows are overwritten: an erased person is in no page. Debian's SQLite does so anyway.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // Pages beyond it are in the kernel's cache, a few microseconds away. Pages in it count as this process's
            // memory once they were written.
            try database.execute(sql: "PRAGMA cache_size = -16384")
            // 32 MB. `LogRoom` moves the log earlier when it holds many different pages, or the disk is small.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 8000")
            // Savepoints keep the pages they would restore in memory: in a file that cost hundreds of writes a commit.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }
}

@available(*, unavailable)
extension WriterConnection: Sendable {}
