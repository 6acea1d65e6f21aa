import GRDB
import TestSupport

@testable package import Store

/// A copy of a database with a writer of its own, in a folder of its own: another node.
///
/// - Confinement: store
package final class StoreCopy {
    private let folder = TemporaryFolder()
    package let directory: DataDirectory
    package let writer: Writer

    /// Copies a database as it is now.
    package init(of original: DataDirectory) throws {
        directory = try DataDirectory(folder.path)
        try DatabaseCopy.copy(original.databasePath, to: directory.databasePath) { true }
        writer = try Storage.openWriter(directory)
        // The copy has another file, and would begin another history.
        let epoch = try Storage.openReader(original).read { try $0.access.meta(.epoch) }
        _ = try writer.commit([epoch], by: nil) { epoch, transaction in
            try transaction.access.setMeta(.epoch, epoch)
        } refuse: { _ in
        }
    }

    /// The rows that differ from another database, a sentence each.
    package func differences(from other: DataDirectory) throws -> [String] {
        try TableComparison(directory.databasePath, other.databasePath).differences()
    }

    /// The rows that differ from another database, by table and key, as SQLite's session extension finds them.
    package func changedRows(from other: DataDirectory) throws -> Set<String> {
        try TableComparison(other.databasePath, directory.databasePath).changedRows()
    }

    /// The rows that `body` changes here, by table and key, as SQLite's session extension sees them.
    package func rowsChanged(by body: () throws -> Void) throws -> Set<String> {
        let handle = unsafe try writer.read { unsafe $0.database.sqliteConnection }
        guard let handle = unsafe handle else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        let session = unsafe try ChangeSession(on: handle)
        try session.begin()
        try body()
        return try session.rows()
    }
}
