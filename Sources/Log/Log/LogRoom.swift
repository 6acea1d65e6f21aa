internal import Foundation
import Files
import GRDB

/// Keeps SQLite's log as small as moving it should take, and smaller than the free space on the disk.
///
/// A checkpoint copies the log's pages into the database's file, and only then can the log's space be freed; others wait for the
/// commit that does it. So the log is moved when it holds 8 MB of different pages (those of chats are written again and again, and
/// go into the file once), or takes half of the free space: a log that has filled the disk could never be moved again.
///
/// - Confinement: store
final class LogRoom {
    private static let pagesMax: Int64 = 2000
    /// A log below this is never looked at: a disk without twice this space is full.
    private static let leastBytes: Int64 = 1 << 20
    /// How much the log grows between two looks at the disk.
    private static let stepBytes: Int64 = 1 << 18
    private let folder: String
    private let logPath: String
    /// How far the log had come at the last look.
    private var seenEnd: Int64 = 0
    /// The free space when a try to make room failed: another try is only worth its reads and writes when that changed.
    private var freeAtFailure: Int64?

    init(of databasePath: String) {
        folder = URL(filePath: databasePath).deletingLastPathComponent().path
        logPath = databasePath + "-wal"
    }

    /// Moves the log when it holds enough pages, or takes half of the free space; else does nothing.
    func keep(_ database: Database) throws {
        let end = database.logEnd
        if end < seenEnd { seenEnd = 0 }
        guard end >= Self.leastBytes, end >= seenEnd + Self.stepBytes else { return }
        seenEnd = end
        let free = disk?.free ?? .max
        if 2 * end > free { seenEnd = 0 } else if database.logPages < Self.pagesMax { return }
        // A log that was moved whole begins again in its old file, which still takes its space.
        try checkpoint(database, isTruncating: 2 * logBytes > free)
    }

    /// Moves the log and frees its space.
    func make(_ database: Database) throws {
        let free = disk?.free
        guard free == nil || free != freeAtFailure else { return }
        freeAtFailure = free
        try checkpoint(database, isTruncating: true)
        freeAtFailure = nil
    }

    /// Moves the log and frees its space, whatever room there is.
    ///
    /// - Returns: whether it is empty now.
    func empty(_ database: Database) throws -> Bool {
        try checkpoint(database, isTruncating: true)
        return logBytes == 0
    }

    /// Whether the log takes more than a quarter of the whole disk.
    var logFillsDisk: Bool {
        guard let disk else { return false }
        return 4 * logBytes > disk.whole
    }

    /// Waits for nobody: when a reader needs the log, it is moved the next time.
    private func checkpoint(_ database: Database, isTruncating: Bool) throws {
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? database.execute(sql: "PRAGMA busy_timeout = 5000") }
        try database.execute(sql: "PRAGMA wal_checkpoint(\(isTruncating ? "TRUNCATE" : "PASSIVE"))")
    }

    private var logBytes: Int64 { Int64(DiskFigures.bytes(ofFile: logPath) ?? 0) }

    /// Bytes that this process may still write, and bytes of the whole disk; nil when the disk does not say.
    private var disk: (free: Int64, whole: Int64)? {
        guard let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder),
            let free = attributes[.systemFreeSize] as? NSNumber, let whole = attributes[.systemSize] as? NSNumber
        else { return nil }
        return (free.int64Value, whole.int64Value)
    }
}

@available(*, unavailable)
extension LogRoom: Sendable {}
