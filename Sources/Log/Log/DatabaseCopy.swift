import Files
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
    package struct Abandoned: Error {
        package init() {}
    }

    private let path: String
    private let handle: FileHandle

    /// Copies the database.
    ///
    /// - Parameter isWanted: asked every few megabytes.
    /// - Throws: ``Abandoned``, ``NoRoom``, `DatabaseError`, or Foundation's error; then no file is left.
    package init(of directory: DataDirectory, isWanted: @escaping () -> Bool) throws {
        path = directory.copyPath
        try Self.make(path, of: directory, isWanted: isWanted)
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            try DatabaseFiles.remove(path)
            throw error
        }
    }

    /// Copies the database into a file that stays.
    ///
    /// - Parameters:
    ///   - path: of the file; one that is there is replaced.
    ///   - isWanted: asked every few megabytes.
    /// - Throws: ``Abandoned``, ``NoRoom``, or `DatabaseError`; then no file is left.
    package static func make(_ path: String, of directory: DataDirectory, isWanted: @escaping () -> Bool) throws {
        try DatabaseFiles.remove(path)
        do {
            try copy(directory.databasePath, to: path, isWanted: isWanted)
        } catch {
            try DatabaseFiles.remove(path)
            throw error
        }
    }

    /// The disk has less room than a copy needs.
    package struct NoRoom: Error, CustomStringConvertible {
        package let description: String

        /// - Throws: ``NoRoom`` when the folder of the file has less room than bytes.
        static func check(_ bytes: Int64, for path: String) throws {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            guard let free = DiskFigures.free(of: folder), free < bytes else { return }
            throw NoRoom(description: "it needs \(bytes >> 10) KiB, and \(folder) has \(free >> 10) KiB free")
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

    /// Removes a copy that was made under a path, with what SQLite may have left beside it.
    package static func remove(_ path: String) throws { try DatabaseFiles.remove(path) }

    /// Removes the copy that a killed server has left.
    package static func removeRemains(in directory: DataDirectory) throws {
        try DatabaseFiles.remove(directory.copyPath)
    }

    /// - Throws: `DatabaseError`; ``NoRoom``; ``Abandoned`` when `isWanted` returns false.
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
            let bytes = try ReadAccess(database: from)
                .number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            try NoRoom.check(bytes, for: target)
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
