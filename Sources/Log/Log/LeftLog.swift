internal import Foundation

/// The log (`-wal`) that a process which did not close the database has left beside it.
///
/// After a failed fsync the kernel may hold pages that never reached the disk, and call them clean: SQLite would find a
/// committed transaction in them, and no later fsync would write it. Such a commit was never acknowledged. But when the
/// client repeats it, the server would find its key and acknowledge it, and the next power cut would take it away; and
/// a checkpoint cut short would leave half of it in the database. So the log is written again, byte by byte in its
/// place, before SQLite reads it: that makes its pages dirty, and the fsync after it really writes them.
///
/// - Confinement: store
package enum LeftLog {
    private static let pieceBytes = 1 << 20

    /// Writes the log again and flushes it; nothing happens when there is none.
    ///
    /// - Throws: ``DataDirectory/Problem``; then the log must not be believed.
    static func rewrite(besides database: String) throws(DataDirectory.Problem) {
        let path = database + "-wal"
        guard FileManager.default.fileExists(atPath: path) else { return }
        do {
            try rewrite(path)
        } catch {
            throw DataDirectory.Problem(
                description: "cannot rewrite \(path), which the last server left: \(error.localizedDescription)"
            )
        }
    }

    private static func rewrite(_ path: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        var offset: UInt64 = 0
        while let piece = try file.read(upToCount: pieceBytes), !piece.isEmpty {
            try file.seek(toOffset: offset)
            try file.write(contentsOf: piece)
            offset += UInt64(piece.count)
        }
        try file.synchronize()
    }

    /// Makes the folder's list of names durable: SQLite ignores the result of its own fsync of the folder.
    ///
    /// - Throws: ``DataDirectory/Problem``
    package static func flush(folder: String) throws(DataDirectory.Problem) {
        do {
            try FileHandle(forReadingFrom: URL(fileURLWithPath: folder)).synchronize()
        } catch {
            throw DataDirectory.Problem(description: "cannot flush the folder \(folder): \(error.localizedDescription)")
        }
    }
}
