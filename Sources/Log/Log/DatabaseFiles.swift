internal import Foundation

/// The files that SQLite keeps for one database: its own, and those beside it.
///
/// - Confinement: any; blocks on the disk
package enum DatabaseFiles {
    /// The ends of their names. The database's own file comes last: what lies beside it is of no use without it.
    static let suffixes = ["-wal", "-shm", "-journal", ""]

    /// Removes those that are there.
    ///
    /// - Throws: Foundation's error.
    package static func remove(_ path: String) throws {
        for path in suffixes.map({ path + $0 }) where FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
    }
}
