import Foundation
import GRDB
import Journal
import Model
import StoreTestSupport
import TestSupport
import Testing

@testable import Log
@testable import Store

/// A member whose program has a migration more than its database.
struct OlderDatabaseTests {
    private static let later = Migration(
        "later",
        """
        CREATE TABLE later(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO later SELECT 'head', coalesce(max(seq), 0) FROM changes;
        ALTER TABLE users ADD COLUMN later INTEGER NOT NULL DEFAULT 7;
        """)
    private static let broken = Migration("later", "CREATE TABLE later(name TEXT)", "INSERT INTO nothing VALUES (1)")

    private let store: TestStore
    private let journal = KeptOrder()
    private let folder = TemporaryFolder()
    private let directory: DataDirectory

    init() throws {
        store = try TestStore()
        _ = try store.user("alice")
        try store.writer.pass(JournalPlace(sequence: 1, term: 7))
        directory = try DataDirectory(folder.path)
        try NodeFolders.copy(store.directory, to: directory)
        store.writer.order = journal
    }

    private func place(_ sequence: UInt64) -> JournalPlace { JournalPlace(sequence: sequence, term: 7) }

    private func open(_ migration: Migration = later) throws -> OlderDatabase {
        try OlderDatabase(directory, migrations: Schema.migrations + [migration])
    }

    /// The entries of some writes.
    private func entries(from sequence: UInt64) throws -> [(commit: JournalEntry.Commit?, place: JournalPlace)] {
        for name in ["bob", "carol"] { _ = try store.user(name) }
        try store.write { try $0.appendSilently() }
        return try journal.commits().enumerated().map { ($1, place(sequence + UInt64($0))) }
    }

    private var found: FoundDatabase {
        get throws {
            guard case .member(let found) = try Founding.standing(of: directory) else { throw Missing(what: "member") }
            return found
        }
    }

    @Test func `a newer program follows the journal with the older tables, and has the same rows as the older one`()
        throws
    {
        let database = try open()
        #expect(database.newest == database.schema + 1)
        try database.apply([(nil, place(2))] + (try entries(from: 3)))
        #expect(database.head == store.writer.head)
        try database.close()
        #expect(try NodeFolders.differences(store.directory, directory).filter { !$0.contains("\"journal\"") } == [])
        #expect(try found.place == place(5))
        #expect(try found.schema == Schema.migrations.count)
    }

    @Test func `the migration and its place come together, as the migrator would have made the tables`() throws {
        let database = try open()
        try database.apply(try entries(from: 2))
        try database.migrate(to: database.newest, at: place(5))
        #expect(database.schema == database.newest)
        try database.close()
        #expect(try found.place == place(5))
        #expect(try found.schema == Schema.migrations.count + 1)
        let queue = try DatabaseQueue(path: directory.databasePath)
        let (head, users, isDone) = try queue.read { database in
            (
                try Int64.fetchOne(database, sql: "SELECT value FROM later"),
                try Int64.fetchAll(database, sql: "SELECT later FROM users"),
                try Self.migrator.hasCompletedMigrations(database)
            )
        }
        try queue.close()
        #expect(head == store.writer.head.value)
        #expect(users == [7, 7, 7])
        #expect(isDone)
        // A program without the migration does not open it.
        #expect(throws: DataDirectory.Problem.self) { try Storage.openWriter(directory, isMember: true) }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = Schema.migrations.migrator
        migrator.registerMigration(later.name) { database in
            for sql in later.sql { try database.execute(sql: sql) }
        }
        return migrator
    }

    @Test
    func `a migration that fails in the middle leaves the older tables at the place before, and can be done again`()
        throws
    {
        let first = try open(Self.broken)
        try first.apply([(nil, place(2))])
        #expect(throws: DatabaseError.self) { try first.migrate(to: first.newest, at: place(3)) }
        try first.close()
        #expect(try found.place == place(2))
        #expect(try found.schema == Schema.migrations.count)
        let second = try open()
        try second.migrate(to: second.newest, at: place(3))
        try second.close()
        #expect(try found.schema == Schema.migrations.count + 1)
    }

    @Test func `an entry that is not the next one is a divergence, which the next start finds`() throws {
        let database = try open()
        try store.write { try $0.appendSilently() }
        let entries = try entries(from: 2)
        #expect(throws: Divergence.place(place(1), after: place(1))) { try database.apply([(nil, place(1))]) }
        #expect(throws: Divergence.self) { try database.apply([entries[3]]) }
        #expect(database.place == place(1))
        try database.noteDivergence("an entry does not fit")
        try database.close()
        #expect(try Founding.standing(of: directory) == .diverged("an entry does not fit"))
    }

    @Test func `a member's database with older tables is not migrated by a start`() throws {
        let queue = try DatabaseQueue(path: directory.databasePath)
        let last = try #require(Schema.migrations.last?.name)
        try queue.write {
            try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = ?", arguments: [last])
        }
        try queue.close()
        let problem = #expect(throws: DataDirectory.Problem.self) {
            try Storage.openWriter(directory, isMember: true)
        }
        let count = Schema.migrations.count
        #expect(problem?.description.contains("schema \(count - 1), and this program those of \(count)") == true)
    }
}

/// All nodes run a migration at the same entry, at different times and on different machines: it may depend on the rows alone.
struct MigrationTests {
    @Test func `run on copies at different times, every migration makes the same rows`() throws {
        let first = try Self.olderSchemas.map { try Self.filled(upTo: $0) }
        for queue in first { try Self.advance(queue) }
        Thread.sleep(forTimeInterval: 1.1)
        for (number, queue) in zip(Self.olderSchemas, first) {
            let second = try Self.filled(upTo: number)
            try Self.advance(second)
            #expect(try Self.content(queue) == (try Self.content(second)), "from schema \(number)")
        }
    }

    @Test func `a member that migrates in one transaction gets the same content as the migrator`() throws {
        for number in Self.olderSchemas {
            let (one, other) = (try Self.filled(upTo: number), try Self.filled(upTo: number))
            try Self.advance(one)
            try Schema.migrations.migrator.migrate(other)
            #expect(try Self.content(one) == (try Self.content(other)), "from schema \(number)")
        }
    }

    @Test func `no migration names a clock, chance or a file`() {
        let words = /(?i)random|'now'|current_(date|time)|strftime|julianday|datetime\(|readfile|unixepoch|attach/
        for migration in Schema.migrations {
            for sql in migration.sql { #expect(sql.firstMatch(of: words) == nil, "\(migration.name)") }
        }
    }

    /// A member's database has at least one migration.
    private static let olderSchemas = 1..<Schema.migrations.count

    private static func advance(_ queue: DatabaseQueue) throws {
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            try database.inTransaction {
                try Schema.migrations.advance(database, to: Schema.migrations.count)
                return .commit
            }
        }
    }

    /// A database of an older schema, with rows in all tables that take them.
    private static func filled(upTo number: Int) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        if number > 0 { try Schema.migrations.migrator.migrate(queue, upTo: Schema.migrations[number - 1].name) }
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            let tables = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                        AND name NOT LIKE 'grdb_%' ORDER BY name
                    """)
            for table in tables {
                let types = try Row.fetchAll(database, sql: "PRAGMA table_info(\(table))").map { $0["type"] as String }
                for row in 1...4 {
                    let values = types.map { value(of: $0, row) }.joined(separator: ", ")
                    // A rule of the table may refuse such a row.
                    try? database.execute(sql: "INSERT OR IGNORE INTO \(table) VALUES (\(values))")
                }
            }
            // The migrator refuses rows that refer to none.
            while let row = try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") {
                let (table, number): (String, Int64?) = (row["table"], row["rowid"])
                try database.execute(
                    sql: "DELETE FROM \(table)" + (number.map { " WHERE rowid = \($0)" } ?? ""))
            }
            try database.execute(sql: "PRAGMA foreign_keys = ON")
        }
        return queue
    }

    private static func value(of type: String, _ row: Int) -> String {
        switch type {
        case "INTEGER": "\(row)"
        case "BLOB": "x'0\(row)'"
        case "REAL": "\(row).5"
        default: "'{\"t\":\(row)}'"
        }
    }

    private static func content(_ queue: DatabaseQueue) throws -> [String] {
        try queue.read { database in
            let schema = try Row.fetchAll(database, sql: "SELECT type, name, sql FROM sqlite_master ORDER BY name")
            let tables = schema.filter { $0["type"] == "table" }.map { $0["name"] as String }
            return schema.map(\.description)
                + (try tables.flatMap { table in
                    try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\"").map { "\(table) \($0)" }.sorted()
                })
        }
    }
}
