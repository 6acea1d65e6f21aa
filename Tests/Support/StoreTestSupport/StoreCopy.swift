import GRDB
import TestSupport

@testable import Log
@testable package import Store

/// A copy of a database with a writer of its own, in a folder of its own: another node.
///
/// - Confinement: store
package final class StoreCopy {
    private let folder = TemporaryFolder()
    package let directory: DataDirectory
    package let writer: Writer
    private let original: DataDirectory
    /// Opened when it is first needed.
    private lazy var comparison = Result { try TableComparison(original.databasePath, directory.databasePath) }

    /// Copies a database as it is now.
    package init(of original: DataDirectory) throws {
        self.original = original
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

    /// The rows that differ from the original, a sentence each.
    package func differences() throws -> [String] { try comparison.get().differences() }

    /// The rows that differ from the original, by table and key, as SQLite's session extension finds them.
    package func changedRows() throws -> Set<String> { try comparison.get().changedRows() }

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
