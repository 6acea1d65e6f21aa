import Foundation
import GRDB
import TestSupport

@testable import Log
@testable package import Store

/// The database of a new folder, with all of its tables. To make them takes a third of the time of opening it, and most tests
/// want a folder of their own; so the tables are made once.
///
/// - Confinement: any
package enum EmptyDatabase {
    private static let bytes = Result {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let path = folder.path + "/empty.db"
        let queue = try DatabaseQueue(path: path)
        try Schema.migrations.migrator.migrate(queue)
        try queue.close()
        return try Data(contentsOf: URL(filePath: path))
    }

    /// Puts it into a folder that has no database yet, before the writer is opened.
    package static func put(into directory: DataDirectory) throws {
        guard !FileManager.default.fileExists(atPath: directory.databasePath) else { return }
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        let isMade = FileManager.default.createFile(
            atPath: directory.databasePath, contents: try bytes.get(), attributes: attributes)
        guard isMade else { throw TCPSocket.Failure(description: "no file was made at \(directory.databasePath)") }
    }
}
