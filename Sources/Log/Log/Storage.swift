import GRDB

/// The database: one connection that writes, any number that read.
///
/// WAL, so that readers never wait for the writer; `synchronous=FULL`, so that a commit is on the disk when it returns.
///
/// - Confinement: any
package enum Storage {
    /// Opens the writing connection, makes or migrates the tables (those of a member only in a new database), and gives a new
    /// epoch to a new database, and to one that may have been restored from an older copy.
    ///
    /// A log that an earlier process left is first written again (``LeftLog``): so all that is read is on the disk.
    ///
    /// - Parameters:
    ///   - plan: of the tables.
    ///   - isMember: whether the node shares a journal with others. Then the epoch is theirs, and is never made or renewed here.
    /// - Throws: `DatabaseError` with SQLite's code, or ``DataDirectory/Problem`` when a later version has migrated the
    ///   database: this one would misread its rows. Also when the folder of a member has no epoch.
    package static func openWriter(
        _ directory: DataDirectory, plan: TablePlan, isMember: Bool = false
    ) throws -> Writer {
        let migrations = plan.migrations
        try LeftLog.rewrite(besides: directory.databasePath)
        try PrivateAccess.makeFile(directory.databasePath)
        let connection = try WriterConnection(directory.databasePath)
        // When the log itself fills the disk, there may be no space for anything else.
        if connection.logFillsDisk { try? connection.makeRoom() }
        let (isFromLater, number) = try connection.queue.read { database in
            (try migrations.migrator.hasBeenSuperseded(database), try Migration.number(of: database))
        }
        guard !isFromLater else {
            throw DataDirectory.Problem(
                description:
                    "a later version of this server has written to it (schema \(number), and this program knows "
                    + "\(migrations.count)): start that version, or restore a backup that an earlier one made")
        }
        // All members migrate at the same entry of the journal, see ``OlderDatabase``.
        guard !isMember || number == 0 || number == migrations.count else {
            throw DataDirectory.Problem(
                description: "it has the tables of schema \(number), and this program those of "
                    + "\(migrations.count): a member waits for the entry of the journal that says so")
        }
        try migrations.migrator.migrate(connection.queue)
        try connection.prepare(plan)
        let writer = try Writer(connection, in: directory, plan, isMember: isMember)
        try LeftLog.flush(folder: directory.path)
        return writer
    }

    /// Opens one more reading connection.
    ///
    /// - Throws: `DatabaseError` with SQLite's code.
    package static func openReader(_ directory: DataDirectory) throws -> Reader { try Reader(directory) }
}
