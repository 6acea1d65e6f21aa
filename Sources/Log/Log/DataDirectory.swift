import CSQLite
internal import Foundation
import GRDB

/// The folder that holds everything the server keeps, locked for one server at a time.
///
/// The lock is SQLite's own on a second, empty database file: held by an exclusive transaction that never ends, and
/// released by the kernel when the process dies, however it dies.
///
/// - Confinement: any
package final class DataDirectory: Sendable {
    /// Why a folder cannot be used.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    package let path: String
    /// The mode of the folder until others were shut out of it just now; nil when it was for its owner alone.
    package let modeBefore: Int?
    private let lock: DatabaseQueue

    /// Makes the folder with mode 0700 if it is absent, shuts others out of one that is there, and takes its lock.
    ///
    /// - Throws: ``Problem`` when it cannot be made, others may enter it, or another process holds the lock.
    package init(_ path: String) throws(Problem) {
        self.path = path
        modeBefore = try PrivateAccess.takeFolder(path)
        _ = Self.isSQLiteSetUp
        do {
            for name in Self.files { try PrivateAccess.close(path + "/" + name) }
            try PrivateAccess.makeFile(path + "/lock")
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = MEMORY") }
            lock = try DatabaseQueue(path: path + "/lock", configuration: configuration)
            try lock.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw Problem(
                description: "another server is running on \(path); stop it, or give this one another --data"
            )
        } catch {
            throw Problem(description: "cannot lock \(path)/lock: \(error)")
        }
    }

    /// Reading this sets SQLite up for the whole process. SQLite refuses that after the first database was opened, and
    /// the first is the folder's lock: so that reads it.
    private static let isSQLiteSetUp = watchwise_sqlite_configure() == SQLITE_OK

    /// Files that databases have in the folder. Secrets are not among them: one that others could read is refused, for
    /// they may have it.
    private static let files =
        ["lock", "lock-journal", "watchwise.head", "erasures"]
        + ["watchwise.db", "watchwise.copy", derived].flatMap { name in
            DatabaseFiles.suffixes.map { name + $0 }
        }

    /// The database that is made from the other one, and again when it is missing: the index of messages.
    private static let derived = "search.db"

    /// The database's file.
    package var databasePath: String { path + "/watchwise.db" }
    /// The file beside it that knows how far it had come.
    var witnessPath: String { path + "/watchwise.head" }
    /// The ledger of erased people, which no copy of the database has.
    package var erasuresPath: String { path + "/erasures" }
    /// The index of messages.
    package var searchPath: String { path + "/" + Self.derived }
    /// A copy of the database on its way out or in.
    var copyPath: String { path + "/watchwise.copy" }
}
