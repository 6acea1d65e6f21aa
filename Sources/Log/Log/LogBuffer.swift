import CSQLite
import GRDB

/// The VFS of the connection that writes, by the name of `watchwise-log`: a buffer of the write-ahead log (`log_buffer.h`),
/// and pages without bytes that nobody uses (`unused_bytes.h`).
enum LogBuffer {
    /// Registers the VFS, and returns the address of a database that is opened through it.
    ///
    /// - Throws: `DatabaseError` when SQLite refuses the VFS.
    static func address(of databasePath: String) throws -> String {
        let code = watchwise_log_register()
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        // Characters that would end the path in an address are written by their codes (sqlite.org/uri.html).
        let path = databasePath.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
        return "file:\(path.hasPrefix("/") ? "//" : "")\(path)?vfs=\(WATCHWISE_LOG_VFS)"
    }
}

extension Database {
    /// From here on a commit of this connection goes into the log in one piece.
    ///
    /// The buffer is right only where SQLite flushes each commit before other connections see it. So this reads back
    /// how the connection is set before it turns the buffer on.
    ///
    /// - Parameter flushesCommits: false on a node among others, which reads lost commits from the journal. SQLite's setting
    ///   is the same: it asks for the flush, and the buffer writes without flushing.
    /// - Throws: `DatabaseError` when the connection is not in WAL mode, does not flush each commit, has no log open,
    ///   or was not opened at ``LogBuffer/address(of:)``.
    func bufferLog(flushesCommits: Bool = true) throws {
        let mode = try String.fetchOne(self, sql: "PRAGMA main.journal_mode") ?? "unknown"
        guard mode == "wal" else {
            throw DatabaseError(
                message:
                    "the database keeps its journal in mode '\(mode)' and not in mode 'wal', without which there is no "
                    + "reading while something is written; put the data folder on a local disk"
            )
        }
        let flushes = try Int.fetchOne(self, sql: "PRAGMA main.synchronous") ?? 0
        guard flushes >= Self.synchronousFull else {
            throw DatabaseError(
                message:
                    "the connection that writes has synchronous = \(flushes), which does not flush each commit; the "
                    + "log's buffer needs synchronous = FULL (\(Self.synchronousFull)) or EXTRA"
            )
        }
        let code = unsafe watchwise_log_begin(sqliteConnection)
        guard code == SQLITE_OK else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: code == SQLITE_MISUSE ? "the log was not opened through the VFS \(WATCHWISE_LOG_VFS)" : nil
            )
        }
        if !flushesCommits { unsafe watchwise_log_rely(sqliteConnection) }
    }

    /// The value of `PRAGMA synchronous` with which each commit is flushed; EXTRA is one more.
    private static let synchronousFull = 2

    /// After a rollback: drops the bytes that the undone transaction has left in the buffer.
    func forgetLog() { unsafe watchwise_log_forget(sqliteConnection) }

    /// Bytes of the log that are in use; zero before the first commit of the connection.
    var logEnd: Int64 { unsafe watchwise_log_end(sqliteConnection) }

    /// How many different pages the log holds, all of which moving it writes.
    var logPages: Int64 { unsafe watchwise_log_pages(sqliteConnection) }

    /// Writes zeros over the bytes that pages of the file do not use (`unused_bytes.h`).
    ///
    /// - Parameters:
    ///   - first: Place of the first page to look at, counted from 0.
    ///   - count: How many pages to look at.
    /// - Returns: the place of the page after the last one, nil at the end of the file; and how many pages had such bytes.
    /// - Throws: `DatabaseError` with SQLite's code; MISUSE for one that was not opened at ``LogBuffer/address(of:)``.
    func clearUnusedBytes(from first: Int64, pages count: Int) throws -> (next: Int64?, cleared: Int) {
        let pageBytes = try Int32.fetchOne(self, sql: "PRAGMA main.page_size") ?? 4096
        var (next, cleared) = (first, Int32(0))
        let code = unsafe watchwise_pages_clear(sqliteConnection, pageBytes, &next, Int32(clamping: count), &cleared)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        return (next < 0 ? nil : next, Int(cleared))
    }

    /// Forgets the pages in memory.
    func forgetPages() { _ = unsafe sqlite3_db_release_memory(sqliteConnection) }
}
