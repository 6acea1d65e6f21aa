import GRDB

/// The bytes of removed rows in the files of a database; see the page "Erasure" of `Services`.
extension Writer {
    /// Writes zeros over the bytes of pages that SQLite does not use, in the database's file. Pages that go into the file
    /// from now on have none.
    ///
    /// - Parameters:
    ///   - first: Place of the first page to look at, counted from 0.
    ///   - count: How many pages to look at.
    /// - Returns: the place of the page after the last one, nil at the end of the file; and how many pages had such bytes.
    /// - Throws: `DatabaseError` with SQLite's code.
    package func clearUnusedBytes(from first: Int64, pages count: Int) throws -> (next: Int64?, cleared: Int) {
        try current().queue.writeWithoutTransaction { try $0.clearUnusedBytes(from: first, pages: count) }
    }

    /// Moves SQLite's log into the database's file, and empties it: its older pages have what was erased. Waits for nobody.
    ///
    /// - Returns: false while a reader needs the log.
    package func emptyLog() throws -> Bool {
        let connection = try current()
        return try connection.queue.writeWithoutTransaction { database in
            guard try connection.room.empty(database) else { return false }
            // The pages in memory have the bytes that the file has not, and would bring them into the log again.
            database.forgetPages()
            return true
        }
    }
}
