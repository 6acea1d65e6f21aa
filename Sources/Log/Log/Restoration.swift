internal import Foundation
import GRDB

/// Replaces the database of a folder by a copy; the next start begins a new epoch.
///
/// - Confinement: any
package enum Restoration {
    /// Why nothing was restored; then the folder is as it was.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// - Parameters:
    ///   - file: made by ``DatabaseCopy``, or any copy of a database that was whole.
    ///   - replaces: whether a database that is there already may go.
    ///   - migrations: of this program.
    /// - Returns: the path of the database that is in the folder now.
    /// - Throws: ``Problem``, ``DataDirectory/Problem`` when a server runs there, or the file system's error.
    package static func restore(
        _ file: String, into folder: String, replaces: Bool, migrations: [Migration]
    ) throws -> String {
        let files = FileManager.default
        guard files.fileExists(atPath: file) else { throw Problem(description: "there is no file \(file)") }
        let directory = try DataDirectory(folder)
        guard replaces || !files.fileExists(atPath: directory.databasePath) else {
            throw Problem(description: "\(folder) holds a database already; --force replaces it")
        }
        let arriving = directory.copyPath
        if files.fileExists(atPath: arriving) { try files.removeItem(atPath: arriving) }
        do {
            try DatabaseCopy.copy(file, to: arriving) { true }
            try check(arriving, named: file, migrations)
        } catch {
            if files.fileExists(atPath: arriving) { try files.removeItem(atPath: arriving) }
            if let problem = error as? Problem { throw problem }
            throw Problem(description: "\(file) is not a database that can be restored: \(error)")
        }
        try put(arriving, in: directory)
        return directory.databasePath
    }

    /// Makes a checked file the folder's database.
    static func put(_ arriving: String, in directory: DataDirectory) throws {
        let files = FileManager.default
        // An index of other messages is of no use.
        try DatabaseFiles.remove(directory.searchPath)
        // The witness goes before the database: from here on every start begins a new epoch, even if the rest is not done.
        if files.fileExists(atPath: directory.witnessPath) { try files.removeItem(atPath: directory.witnessPath) }
        try DatabaseFiles.remove(directory.databasePath)
        try files.moveItem(atPath: arriving, toPath: directory.databasePath)
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: directory.path))
        try handle.synchronize()
        try handle.close()
    }

    /// - Throws: ``Problem`` unless the file is a whole database of this server, and not of a later one.
    static func check(_ path: String, named file: String, _ migrations: [Migration]) throws {
        let queue = try DatabaseQueue(path: path)
        let (findings, isOurs, isFromLater) = try queue.read { database in
            (
                try String.fetchAll(database, sql: "PRAGMA integrity_check(5)"),
                try database.tableExists("changes") && database.tableExists("meta"),
                try migrations.migrator.hasBeenSuperseded(database)
            )
        }
        try queue.close()
        guard findings == ["ok"] else {
            throw Problem(description: "\(file) is damaged: \(findings.joined(separator: "; "))")
        }
        guard isOurs else { throw Problem(description: "\(file) is not a database of this server") }
        guard !isFromLater else { throw Problem(description: "\(file) was made by a later version of this server") }
    }
}
