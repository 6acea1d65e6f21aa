import CSQLite
import GRDB

extension Database {
    /// From here on a commit of this connection goes into the log in one piece (`log_buffer.h`).
    ///
    /// The connection must be in WAL mode and flush each commit.
    ///
    /// - Throws: `DatabaseError` when there is no memory for the buffer.
    func bufferLog() throws {
        let code = unsafe watchwise_buffer_log(sqliteConnection)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
