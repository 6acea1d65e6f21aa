import Files
internal import Foundation
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

    /// Copies a database that has older tables than the program, before the program changes them. It takes the place of an earlier copy:
    /// a node that waits for the others may be started often. It goes as one that was put aside does
    /// (``Writer/removePutAside(before:)``).
    ///
    /// - Parameter stamp: a part of its name, such as `2026-11-25T22-05-00`.
    /// - Returns: its path, and the number of its newest migration; nil where no tables are to be changed.
    /// - Throws: `DatabaseError`, or ``DataDirectory/Problem`` when there is no room.
    package static func copyOlderTables(
        of directory: DataDirectory, plan: TablePlan, stamp: String
    ) throws -> (path: String, schema: Int)? {
        guard let bytes = DiskFigures.bytes(ofFile: directory.databasePath), bytes > 0 else { return nil }
        try LeftLog.rewrite(besides: directory.databasePath)
        let queue = try Reader.connection(directory.databasePath)
        let number = try queue.read { try Migration.number(of: $0) }
        try queue.close()
        guard number > 0, number < plan.migrations.count else { return nil }
        let beginning = "\(PutAside.beforeSchema)\(plan.migrations.count)-"
        let name = "\(beginning)\(stamp).sqlite"
        let path = "\(directory.path)/\(name)"
        do {
            try DatabaseCopy.make(path, of: directory) { true }
        } catch let lack as DatabaseCopy.NoRoom {
            throw DataDirectory.Problem(
                description:
                    "this program changes its tables from schema \(number) to \(plan.migrations.count), and copies it "
                    + "before that, for which there is no room: \(lack): make room, or start once with --migrate-without-copy"
            )
        }
        let files = FileManager.default
        for earlier in try files.contentsOfDirectory(atPath: directory.path)
        where earlier.hasPrefix(beginning) && earlier != name {
            try files.removeItem(atPath: directory.path + "/" + earlier)
        }
        try LeftLog.flush(folder: directory.path)
        return (path, number)
    }

    /// Opens one more reading connection.
    ///
    /// - Throws: `DatabaseError` with SQLite's code.
    package static func openReader(_ directory: DataDirectory) throws -> Reader { try Reader(directory) }
}
