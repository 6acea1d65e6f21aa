import GRDB
import Model
import StoreTestSupport
import TestSupport
import Testing
@testable import Log
@testable import Store

struct DatabaseDigestTests {
    private static func filled() throws -> TestStore {
        let store = try TestStore()
        for name in ["alice", "bob", "carol"] { _ = try store.user(name) }
        return store
    }

    private func change(_ store: TestStore, _ sql: String) throws {
        try store.write { try $0.access.run(sql) }
    }

    @Test func `a copy has the same digests, whatever the node alone has written`() throws {
        let store = try Self.filled()
        let before = try store.writer.digestTables()
        try store.writer.probe()
        try store.writer.noteDivergence("no reason")
        try store.writer.pass(Founding.beginning)
        let after = try store.writer.digestTables()
        #expect(after.differences(from: before) == [])
        #expect(before.place == nil && after.place == Founding.beginning)
        #expect(before.tables["node"] == nil && (before.tables["streams"]?.rows ?? 0) > 3)
        #expect(before.tables.count > 20)
    }

    @Test(arguments: [
        "UPDATE streams SET followers = followers + 1 WHERE name = 'user:bob' OR id = 2",
        "DELETE FROM meta WHERE name = 'epoch'", "INSERT INTO meta(name, value) VALUES ('a', 'b')",
        "UPDATE streams SET name = name || ' ' WHERE id = 2",
    ])
    func `a changed, missing or further row is found, with its table`(_ sql: String) throws {
        let store = try Self.filled()
        let before = try store.writer.digestTables()
        try change(store, sql)
        let differences = try store.writer.digestTables().differences(from: before)
        #expect(differences == [sql.contains("meta") ? "meta" : "streams"])
    }

    @Test func `a snapshot has the rows of its moment, while others are written`() throws {
        let store = try Self.filled()
        let before = try store.writer.digestTables()
        let snapshot = try store.writer.snapshotTables()
        try change(store, "INSERT INTO meta(name, value) VALUES ('a', 'b')")
        #expect(try snapshot.digest() == before)
        #expect(try store.writer.digestTables().differences(from: before) == ["meta"])
        try snapshot.close()
        let now = try store.writer.snapshotTables()
        #expect(try now.digest().differences(from: before) == ["meta"])
        try now.close()
    }

    @Test func `a value in another column, and values cut elsewhere, are other rows`() throws {
        let stores = try [("ab", "c"), ("a", "bc"), ("c", "ab")].map { name, value in
            let store = try TestStore()
            try store.write { try $0.access.run("INSERT INTO meta(name, value) VALUES (?, ?)", [name, value]) }
            return store
        }
        let digests = try stores.map { try $0.writer.digestTables().tables["meta"]?.sums ?? [] }
        #expect(Set(digests).count == 3)
    }

    @Test func `rows in another order have the same digest`() throws {
        let values = [("a", "1"), ("b", "2"), ("c", "3")]
        let digests = try [values, values.reversed()].map { order in
            let store = try TestStore()
            // The epoch is one of chance.
            try change(store, "DELETE FROM meta")
            for (key, value) in order {
                try store.write { try $0.access.run("INSERT INTO meta(name, value) VALUES (?, ?)", [key, value]) }
            }
            return try store.writer.digestTables().tables["meta"]
        }
        #expect(digests[0] == digests[1] && digests[0]?.rows == 3)
    }
}
