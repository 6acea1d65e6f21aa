internal import Foundation
import GRDB

/// A consistent copy of the database in a file of its own, made while the server writes on.
///
/// It is copied in one snapshot, which in WAL mode holds up no writer. SQLite's log grows meanwhile, and is used again
/// from its beginning afterwards.
///
/// - Confinement: one thread at a time
package final class DatabaseCopy {
    /// Nobody wants the copy any more.
    package struct Abandoned: Error {}

    private let path: String
    private let handle: FileHandle

    /// Copies the database.
    ///
    /// - Parameter isWanted: asked every few megabytes.
    /// - Throws: ``Abandoned``, `DatabaseError`, or Foundation's error; then no file is left.
    package init(of directory: DataDirectory, isWanted: @escaping () -> Bool) throws {
        path = directory.copyPath
        try DatabaseFiles.remove(path)
        do {
            try Self.copy(directory.databasePath, to: path, isWanted: isWanted)
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            try DatabaseFiles.remove(path)
            throw error
        }
    }

    /// The size of the copy; nothing may have been read yet.
    package func bytes() throws -> Int {
        let end = try handle.seekToEnd()
        try handle.seek(toOffset: 0)
        return Int(end)
    }

    /// The next bytes of the copy; nil at its end.
    package func read(upToCount count: Int) throws -> [UInt8]? {
        guard let data = try handle.read(upToCount: count), !data.isEmpty else { return nil }
        return Array(data)
    }

    /// Removes the file; nothing may be read afterwards.
    package func close() throws {
        try handle.close()
        try DatabaseFiles.remove(path)
    }

    /// Removes the copy that a killed server has left.
    package static func removeRemains(in directory: DataDirectory) throws {
        try DatabaseFiles.remove(directory.copyPath)
    }

    /// - Throws: `DatabaseError`; ``Abandoned`` when `isWanted` returns false.
    static func copy(_ source: String, to target: String, isWanted: @escaping () -> Bool) throws {
        var configuration = Configuration()
        configuration.label = "watchwise-copy"
        configuration.busyMode = .timeout(5)
        try PrivateAccess.makeFile(target)
        let copy = try DatabaseQueue(path: target, configuration: configuration)
        configuration.readonly = true
        let original = try DatabaseQueue(path: source, configuration: configuration)
        try original.read { from in
            // The first read gives the transaction its snapshot, so that the copy is of one moment.
            _ = try ReadAccess(database: from).number("SELECT count(*) FROM sqlite_master")
            try copy.writeWithoutTransaction { to in
                try from.backup(to: to, pagesPerStep: pagesPerStep) { _ in
                    guard isWanted() else { throw Abandoned() }
                }
            }
        }
        try original.close()
        // One file, without a log beside it.
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        try copy.close()
    }

    private static let pagesPerStep: CInt = 1024
}

@available(*, unavailable)
extension DatabaseCopy: Sendable {}
