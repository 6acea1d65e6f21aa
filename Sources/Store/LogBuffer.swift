import CSQLite
import GRDB

extension Database {
    /// From here on a commit of this connection goes into the log in one piece (`log_buffer.h`).
    ///
    /// The connection must flush each commit, and be in WAL mode.
    /// Where it is not, on a file system without shared memory, nothing changes.
    ///
    /// - Throws: `DatabaseError` when there is no memory for the buffer.
    func bufferLog() throws {
        let code = unsafe watchwise_buffer_log(sqliteConnection)
        guard code == SQLITE_OK || code == SQLITE_MISUSE else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
    }

    /// After a rollback: drops what the undone transaction has left in the buffer.
    func forgetLog() { unsafe watchwise_forget_log(sqliteConnection) }

    /// Bytes of the log that are in use; zero before the first commit of the connection.
    var logEnd: Int64 { unsafe watchwise_log_end(sqliteConnection) }
}
