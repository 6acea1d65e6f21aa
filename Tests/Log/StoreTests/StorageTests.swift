import GRDB
import Model
import StoreTestSupport
import TestSupport
import Testing
@testable import Log
@testable import Store

struct StorageTests {
    @Test func `migrations make a fresh database of strict tables`() throws {
        let store = try TestStore()
        let tables = try store.read { transaction in
            try Row.fetchAll(
                transaction.database,
                sql: "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'"
            )
        }
        let names = Set(tables.map { $0["name"] as String })
        #expect(
            names.isSuperset(of: [
                "meta", "streams", "changes", "keys", "users", "follows", "chats", "members", "messages",
                "notifications", "seen", "broadcasts", "documents", "triggers", "schedules", "dead",
            ])
        )
        #expect(tables.allSatisfy { $0["strict"] == true || $0["name"] == "grdb_migrations" })
        #expect(try store.read { try $0.log.head() } == .zero)
        #expect(try store.read { try $0.streams.name(of: .everyone) } == "everyone")
        #expect(store.writer.head == .zero)
    }

    @Test func `the writing connection syncs every commit to a write-ahead log`() throws {
        let store = try TestStore()
        let (mode, synchronous) = try store.read { transaction in
            (
                try String.fetchOne(transaction.database, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(transaction.database, sql: "PRAGMA synchronous")
            )
        }
        #expect(mode == "wal")
        #expect(synchronous == 2, "FULL")
    }

    @Test func `head, epoch and rows survive reopening, and one file is left after closing`() throws {
        let folder = TemporaryFolder()
        var epoch: Epoch?
        do {
            let store = try TestStore(in: folder)
            epoch = store.writer.epoch
            try store.write { transaction in
                for _ in 1...3 { try transaction.append(event(transaction.nextPosition), to: StreamID(stored: 9)) }
            }
            try store.writer.close()
        }
        #expect(folder.files.filter { $0.hasPrefix("watchwise.db") } == ["watchwise.db"])
        let store = try TestStore(in: folder)
        #expect(store.writer.head == Position(3))
        #expect(store.writer.epoch == epoch)
        #expect(try store.read { try $0.log.count() } == 3)
        #expect(try store.write { try $0.appendSilently() } == Position(4))
    }

    @Test func `a database that a later version has migrated is refused and left as it was`() throws {
        let folder = TemporaryFolder()
        try TestStore(in: folder).writer.close()
        let migrations = { (statement: String) in
            let queue = try DatabaseQueue(path: folder.path + "/watchwise.db")
            try queue.write { try $0.execute(sql: statement) }
            try queue.close()
        }
        try migrations("INSERT INTO grdb_migrations VALUES ('of a later version')")
        let problem = #expect(throws: DataDirectory.Problem.self) { try TestStore(in: folder) }
        #expect(problem?.description.hasPrefix("a later version of this server has written to it") == true)
        try migrations("DELETE FROM grdb_migrations WHERE identifier = 'of a later version'")
        #expect(try TestStore(in: folder).writer.head == .zero)
    }

    @Test func `the kinds of topics that an earlier version stored are known, and those of later ones are not`() throws
    {
        let folder = TemporaryFolder()
        do {
            let store = try TestStore(in: folder)
            try store.write { transaction in
                for topic in ["branche:mitte", "city:rome", "city:oslo"] {
                    _ = try transaction.streams.findOrMake(#require(Topic(topic)))
                }
                try transaction.triggers.put(
                    "t", row: #"{"name": "t", "audience": "followers:libraire:{x}"}"#, at: Position(1))
                try transaction.triggers.put("u", row: #"{"name": "u", "audience": "user:{x}"}"#, at: Position(2))
            }
            #expect(try store.read { try $0.topicKinds.before() } == [], "a new folder has none")
            try store.writer.close()
        }
        let queue = try DatabaseQueue(path: folder.path + "/watchwise.db")
        try queue.write { database in
            try database.execute(
                sql: """
                    DELETE FROM grdb_migrations WHERE identifier = '20 topic kinds of before';
                    DELETE FROM meta WHERE name = 'kinds_before';
                    """)
        }
        try queue.close()
        let store = try TestStore(in: folder)
        #expect(try Set(store.read { try $0.topicKinds.before() }) == ["branche", "city", "libraire"])
        try store.write { _ = try $0.streams.findOrMake(#require(Topic("bus:1"))) }
        #expect(try store.read { try $0.topicKinds.before() }.count == 3)
    }

    @Test func `a new database has an epoch of its own`() throws {
        #expect(try TestStore().writer.epoch != TestStore().writer.epoch)
    }

    @Test func `a second server on the same folder refuses, until the first is gone`() throws {
        let folder = TemporaryFolder()
        do {
            let first = try DataDirectory(folder.path)
            let problem = try #require(throws: DataDirectory.Problem.self) { _ = try DataDirectory(folder.path) }
            #expect(problem.description.contains("another server is running on \(first.path)"))
        }
        _ = try DataDirectory(folder.path)
    }

    @Test func `an absent folder is made for its owner alone`() throws {
        let folder = TemporaryFolder()
        _ = try DataDirectory(folder.path + "/a/b")
        _ = try DataDirectory(folder.path)
        #expect(TemporaryFolder.permissions(of: folder.path + "/a/b") == 0o700)
    }

    @Test func `a folder that cannot be made is a problem that names it`() throws {
        let problem = try #require(throws: DataDirectory.Problem.self) { _ = try DataDirectory("/dev/null/data") }
        #expect(problem.description.contains("/dev/null/data"))
    }

    @Test func `a reader keeps one snapshot while the writer writes`() throws {
        let store = try TestStore()
        let reader = try Storage.openReader(store.directory)
        try store.write { try $0.append(event($0.nextPosition), to: StreamID(stored: 9)) }
        try reader.read { transaction in
            #expect(try transaction.log.head() == Position(1))
            try store.write { try $0.append(event($0.nextPosition), to: StreamID(stored: 9)) }
            #expect(try store.read { try $0.log.head() } == Position(2))
            #expect(try transaction.log.head() == Position(1))
            #expect(try transaction.log.count() == 1)
        }
        #expect(try reader.read { try $0.log.head() } == Position(2))
        try reader.close()
    }

    @Test func `a reader cannot write`() throws {
        let store = try TestStore()
        let reader = try Storage.openReader(store.directory)
        #expect(throws: DatabaseError.self) {
            try reader.read { try $0.database.execute(sql: "INSERT INTO meta(name, value) VALUES ('a', 'b')") }
        }
        try reader.close()
    }
}
