import GRDB
import Synchronization

/// Reads the database, table by table, to learn whether it is damaged (`PRAGMA quick_check`).
///
/// It has a connection of its own: nobody waits for it, and it may take as long as reading the whole file does. It
/// reads each table in a snapshot of its own, so that it holds back SQLite's log for one table at a time.
///
/// - Confinement: any; ``run(_:)`` on one thread
package final class DatabaseCheck: Sendable {
    /// The result of a check.
    package enum Finding: Sendable, Hashable {
        /// Every table was read to its end, and makes sense.
        case whole(tables: Int)
        /// The file's content is wrong, in the words of SQLite.
        case damaged(table: String, String)
        /// The disk did not give the file's content. Whether that is whole is not known.
        case unreadable(table: String, String)
        /// It was ended before it came to the last table.
        case unfinished(tables: Int, of: Int)
    }

    /// Not the folder's object, which holds its lock.
    private let databasePath: String
    /// The connection while it reads, so that another thread can interrupt it. Protected by its lock.
    private let reading = Mutex<DatabaseQueue?>(nil)
    private let isOver = Atomic<Bool>(false)

    package init(_ directory: DataDirectory) { databasePath = directory.databasePath }

    /// Whether it was ended, so that nothing long is to begin.
    package var isEnded: Bool { isOver.load(ordering: .relaxed) }

    /// Ends a check that is under way, and each that begins later; on any thread.
    package func end() {
        isOver.store(true, ordering: .relaxed)
        reading.withLock { $0?.interrupt() }
    }

    /// Checks the tables one after the other; stops at the first that is not whole.
    ///
    /// - Parameters:
    ///   - copy: the path of a copy, to be checked instead of the folder's database.
    ///   - goesOn: gets each table's name before it is read, and returns whether to read it.
    package func run(of copy: String? = nil, _ goesOn: (_ table: String) -> Bool) -> Finding {
        var place = "the list of tables"
        do {
            let queue = try Reader.connection(copy ?? databasePath)
            reading.withLock { $0 = queue }
            defer { reading.withLock { $0 = nil } }
            let tables = try queue.read { database in
                try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            }
            for (number, table) in tables.enumerated() {
                guard !isOver.load(ordering: .relaxed), goesOn(table) else {
                    return .unfinished(tables: number, of: tables.count)
                }
                place = table
                let problems = try Self.problems(of: table, in: queue)
                guard let first = problems.first else { continue }
                return problems.contains(where: Self.isUnread)
                    ? .unreadable(table: table, first) : .damaged(table: table, first)
            }
            try queue.close()
            return .whole(tables: tables.count)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            return .unfinished(tables: 0, of: 0)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            return .damaged(table: place, "\(error)")
        } catch {
            return .unreadable(table: place, "\(error)")
        }
    }

    /// The problems that SQLite finds in a table and its indexes, as far as it could read them.
    private static func problems(of table: String, in queue: DatabaseQueue) throws -> [String] {
        // Without a transaction around it, whose end would fail with the error of the check.
        try queue.inDatabase { database in
            var found: [String] = []
            let name = table.replacing("'", with: "''")
            let rows = try Row.fetchCursor(database, sql: "PRAGMA quick_check('\(name)')")
            do {
                while let row = try rows.next() { found.append(row[0]) }
            } catch let error as DatabaseError {
                // SQLite checks the structure first, page by page, so it has found the problems there by now.
                guard !found.isEmpty, error.resultCode != .SQLITE_INTERRUPT else { throw error }
            }
            return found == ["ok"] ? [] : found
        }
    }

    /// Whether SQLite says that it could not read a page: `error code=` with a code of the family `SQLITE_IOERR`.
    private static func isUnread(_ problem: String) -> Bool {
        guard let code = problem.split(separator: "error code=").last.flatMap({ Int32($0.prefix { $0.isNumber }) }),
            problem.contains("error code=")
        else { return false }
        return code & 0xff == ResultCode.SQLITE_IOERR.rawValue
    }
}
