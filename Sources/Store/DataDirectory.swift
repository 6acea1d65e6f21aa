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
    private let lock: DatabaseQueue

    /// Makes the folder with mode 0700 if it is absent, and takes its lock.
    ///
    /// - Throws: ``Problem`` when it cannot be made or another process holds the lock.
    package init(_ path: String) throws(Problem) {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw Problem(description: "cannot make the folder \(path): \(error.localizedDescription)")
        }
        _ = Storage.withoutMemoryStatistics
        do {
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

    /// The database's file.
    var databasePath: String { path + "/watchwise.db" }
    /// The file beside it that knows how far it had come.
    var witnessPath: String { path + "/watchwise.head" }
    /// A copy of the database on its way out or in.
    var copyPath: String { path + "/watchwise.copy" }
}
