import GRDB

/// The database: one connection that writes, any number that read.
///
/// WAL, so that readers never wait for the writer; `synchronous=FULL`, so that a commit is on the disk when it returns.
///
/// - Confinement: any
package enum Storage {
    /// Opens the writing connection, makes or migrates the tables, and gives a new epoch to a new database, and to one
    /// that may have been restored from an older copy.
    ///
    /// A log that an earlier process left is first written again (``LeftLog``): so all that is read is on the disk.
    ///
    /// - Parameter isMember: whether the node shares a journal with others. Then the epoch is theirs, and is never made or
    ///   renewed here.
    /// - Throws: `DatabaseError` with SQLite's code, or ``DataDirectory/Problem`` when a later version has migrated the
    ///   database: this one would misread its rows. Also when the folder of a member has no epoch.
    package static func openWriter(_ directory: DataDirectory, isMember: Bool = false) throws -> Writer {
        try LeftLog.rewrite(besides: directory.databasePath)
        try PrivateAccess.makeFile(directory.databasePath)
        let connection = try WriterConnection(directory.databasePath)
        // When the log itself fills the disk, there may be no space for anything else.
        if connection.logFillsDisk { try? connection.makeRoom() }
        guard try !connection.queue.read(Schema.migrator.hasBeenSuperseded) else {
            throw DataDirectory.Problem(
                description: "a later version of this server has written to it: start that version, or restore a "
                    + "backup that an earlier one made")
        }
        try Schema.migrator.migrate(connection.queue)
        try connection.prepare()
        let writer = try Writer(connection, in: directory, isMember: isMember)
        try LeftLog.flush(folder: directory.path)
        return writer
    }

    /// Opens one more reading connection.
    ///
    /// - Throws: `DatabaseError` with SQLite's code.
    package static func openReader(_ directory: DataDirectory) throws -> Reader { try Reader(directory) }
}
