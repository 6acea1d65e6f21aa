import GRDB
import Log
package import Model
import Store

/// The connection that writes the index of messages.
///
/// - Confinement: store (the thread of the search)
package final class SearchIndex {
    /// Changes with the fold and the tables: an index of another form is built again.
    private static let form: Int64 = 1

    private let file: SearchFile
    private let epoch: Epoch
    private var queue: DatabaseQueue
    /// Nil when there is no index of this database.
    package private(set) var standing: SearchStanding?

    /// Opens the index, or makes an empty one; a damaged one is removed.
    ///
    /// - Parameter epoch: of the server's database; an index of another one is of no use.
    /// - Throws: `DatabaseError` with SQLite's code.
    package init(_ file: SearchFile, epoch: Epoch) throws {
        self.file = file
        self.epoch = epoch
        do {
            queue = try file.open()
        } catch  where StorageFault(error) == .unreadable {
            try file.remove()
            queue = try file.open()
        }
        standing = try queue.read { try SearchStanding.find(in: ReadAccess(database: $0), Self.form, epoch) }
    }

    /// The revision in which a message is indexed; nil when it is not.
    package func revision(of position: Position) throws -> Int64? {
        try queue.read { database in
            try ReadAccess(database: database)
                .value("SELECT rev FROM entries WHERE seq = ?", [position.value])
        }
    }

    /// Begins again, with nothing.
    package func begin(at head: Position) throws {
        let standing = SearchStanding(followed: head, walk: SearchStanding.Walk(chat: 0, n: 0, until: head))
        try write(standing) { database in
            try database.run("INSERT INTO words(words) VALUES ('delete-all')")
            try database.run("DELETE FROM entries")
        }
    }

    /// Takes texts out, adds others, and notes how far the index is now, in one transaction.
    package func change(_ standing: SearchStanding, removing removed: [SearchEntry], adding added: [SearchEntry]) throws
    {
        // FTS5 writes what it holds in memory when a row comes that is not after the one before.
        let steps = (removed.map { ($0, 0) } + added.map { ($0, 1) })
            .sorted { ($0.0.position, $0.1) < ($1.0.position, $1.1) }
        try write(standing) { database in
            for (entry, isAdded) in steps {
                let (seq, text) = (entry.position.value, entry.text)
                if isAdded == 1 {
                    try database.run("INSERT INTO words(rowid, text) VALUES (?, ?)", [seq, text])
                    try database.run(
                        "INSERT INTO entries(seq, chat, n, rev) VALUES (?, ?, ?, ?)",
                        [seq, entry.chat, entry.n, entry.revision])
                } else {
                    try database.run("INSERT INTO words(words, rowid, text) VALUES ('delete', ?, ?)", [seq, text])
                    try database.run("DELETE FROM entries WHERE seq = ?", [seq])
                }
            }
        }
    }

    /// One more step of a merge of everything, after which no word of a removed text is left in a page.
    ///
    /// - Parameter isFirst: whether it begins.
    /// - Returns: whether there is more to do.
    package func merge(isFirst: Bool, pages: Int) throws -> Bool {
        try queue.writeWithoutTransaction { database in
            let before = database.changedRows
            try database.run("INSERT INTO words(words, rank) VALUES ('merge', ?)", [isFirst ? -pages : pages])
            // FTS5 says so: one change is the command itself.
            return database.changedRows - before >= 2
        }
    }

    /// After a whole merge: the log of SQLite, which has the older pages, is emptied.
    ///
    /// - Parameter removed: how many texts had been taken out when the merge began.
    package func merged(_ removed: Int64) throws {
        guard var standing else { return }
        standing.removed = max(0, standing.removed - removed)
        try write(standing) { _ in }
        try queue.writeWithoutTransaction { try $0.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// A file that is damaged is removed, and an empty one made.
    ///
    /// - Parameter error: of the index; nil to look whether readers have met one.
    /// - Returns: whether it was damaged.
    package func mend(after error: (any Error)? = nil) throws -> Bool {
        guard error.map({ StorageFault($0) == .unreadable }) ?? file.takeDoubt() else { return false }
        try? queue.close()
        try file.remove()
        queue = try file.open()
        standing = nil
        return true
    }

    /// Closes the connection.
    package func close() throws { try queue.close() }

    private func write(_ standing: SearchStanding, _ body: (Database) throws -> Void) throws {
        try queue.write { database in
            try body(database)
            try database.run(
                """
                INSERT OR REPLACE INTO standing(id, form, epoch, followed, chat, n, until, removed)
                VALUES (1, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    Self.form, epoch.text, standing.followed.value, standing.walk?.chat, standing.walk?.n,
                    standing.walk?.until.value, standing.removed,
                ])
        }
        self.standing = standing
    }
}

@available(*, unavailable)
extension SearchIndex: Sendable {}

extension Database {
    /// Runs a statement on the index, which no other node repeats.
    fileprivate func run(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws {
        let run = try StatementRun(cachedStatement(sql: sql), arguments)
        defer { run.end() }
        while try run.step() {}
    }
}

extension SearchStanding {
    /// How far an index of this form and epoch is.
    static func find(in access: ReadAccess, _ form: Int64, _ epoch: Epoch) throws -> SearchStanding? {
        try access.first(
            "SELECT followed, chat, n, until, removed FROM standing WHERE form = ? AND epoch = ?",
            [form, epoch.text]
        ) { row in
            let until: Position? = try row.optional(3)
            let walk = try until.map { try Walk(chat: row[1], n: row[2], until: $0) }
            var standing = SearchStanding(followed: try row[0], walk: walk)
            standing.removed = try row[4]
            return standing
        }
    }

    /// How far the index is, for readers; nil as long as there is none.
    static func find(in access: ReadAccess) throws -> SearchStanding? {
        try access.first("SELECT followed, until FROM standing") { row in
            let until: Position? = try row.optional(1)
            return SearchStanding(followed: try row[0], walk: until.map { Walk(chat: 0, n: 0, until: $0) })
        }
    }
}
