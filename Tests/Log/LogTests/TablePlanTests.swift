import Foundation
import GRDB
import Model
import TestSupport
import Testing

@testable import Log

/// The log with tables of somebody else: it knows none of the subjects of this server.
struct TablePlanTests {
    /// Notes, of which the newest is remembered.
    private final class NoteMemory: WriterMemory {
        unowned let access: WriteAccess
        var newest: String?
        var forgotten = 0
        private(set) var changeCount = 0

        init(of access: WriteAccess) { self.access = access }

        func change(to text: String) {
            newest = text
            changeCount += 1
        }

        func flush(noting recorder: WriteRecorder?) throws {
            guard let newest else { return }
            try access.run("INSERT INTO notes(text) VALUES (?)", [newest])
            self.newest = nil
        }

        func forget() {
            newest = nil
            forgotten += 1
        }

        func forgetAll() { forget() }
    }

    private struct Objection: Error {}

    private static let spine = Migration(
        "1 spine",
        """
        CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE node(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE streams(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL DEFAULT 0,
            followers INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE TABLE changes(
            seq INTEGER PRIMARY KEY, stream INTEGER NOT NULL, second INTEGER, n INTEGER, body TEXT) STRICT;
        CREATE TABLE keys(
            id INTEGER PRIMARY KEY, user INTEGER NOT NULL, key TEXT NOT NULL, fingerprint INTEGER NOT NULL,
            at INTEGER NOT NULL, reply TEXT NOT NULL, refused INTEGER NOT NULL DEFAULT 0,
            UNIQUE(user, key)) STRICT;
        CREATE TABLE log_marks(seq INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
        """)
    private static let notes = Migration("2 notes", "CREATE TABLE notes(text TEXT NOT NULL) STRICT;")

    private static func plan(_ migrations: Migration...) -> TablePlan {
        TablePlan(migrations: migrations) { NoteMemory(of: $0) }
    }

    /// Each text is a write of its own in one commit; one that is empty is refused after it has changed the memory.
    private static func write(_ texts: [String], with writer: Writer) throws -> [Bool] {
        try writer.commit(texts) { text, transaction in
            let memory = try #require(transaction.access.memory as? NoteMemory)
            memory.change(to: text)
            guard !text.isEmpty else { throw Objection() }
            _ = try transaction.appendEntry(to: .everyone, body: Array("{}".utf8))
            try memory.flush(noting: nil)
            return true
        } refuse: { _ in
            false
        }.items.map(\.outcome)
    }

    private static func texts(_ writer: Writer) throws -> [String] {
        try writer.read { try $0.access.all("SELECT text FROM notes ORDER BY rowid") { try $0[0] } }
    }

    @Test func `commits, refusals and a new start keep the rows of tables that the log does not know`() throws {
        let folder = TemporaryFolder()
        let directory = try DataDirectory(folder.path)
        let plan = Self.plan(Self.spine, Self.notes)
        let writer = try Storage.openWriter(directory, plan: plan)
        #expect(try Self.write(["a", "", "b"], with: writer) == [true, false, true])
        #expect(writer.head == Position(2))
        #expect(try Self.texts(writer) == ["a", "b"])
        try writer.close()
        let again = try Storage.openWriter(directory, plan: plan)
        #expect(again.head == Position(2))
        #expect(again.schema == 2)
        #expect(try Self.texts(again) == ["a", "b"])
        try again.close()
    }

    @Test func `a database gets the tables of a later plan, and an earlier plan refuses it then`() throws {
        let folder = TemporaryFolder()
        let directory = try DataDirectory(folder.path)
        try Storage.openWriter(directory, plan: Self.plan(Self.spine)).close()
        try Storage.openWriter(directory, plan: Self.plan(Self.spine, Self.notes)).close()
        #expect(throws: DataDirectory.Problem.self) {
            try Storage.openWriter(directory, plan: Self.plan(Self.spine))
        }
    }

    @Test func `older tables are copied before they change, once, and a new or a present database is not`() throws {
        let folder = TemporaryFolder()
        let directory = try DataDirectory(folder.path)
        let (old, new) = (Self.plan(Self.spine), Self.plan(Self.spine, Self.notes))
        #expect(try Storage.copyOlderTables(of: directory, plan: new, stamp: "now") == nil, "no database yet")
        try Storage.openWriter(directory, plan: old).close()
        #expect(try Storage.copyOlderTables(of: directory, plan: old, stamp: "now") == nil, "nothing changes")
        _ = try Storage.copyOlderTables(of: directory, plan: new, stamp: "before")
        let copy = try #require(try Storage.copyOlderTables(of: directory, plan: new, stamp: "now"))
        #expect(folder.files.filter { $0.hasPrefix("before-") } == ["before-schema-2-now.sqlite"], "one is enough")
        #expect(copy.schema == 1 && copy.path == folder.path + "/before-schema-2-now.sqlite")
        let writer = try Storage.openWriter(directory, plan: new)
        #expect(try Storage.copyOlderTables(of: directory, plan: new, stamp: "later") == nil)
        // The copy opens with the older tables, and goes with what an erasure removes.
        let other = TemporaryFolder()
        _ = try Restoration.restore(copy.path, into: other.path, replaces: false, migrations: old.migrations)
        try Storage.openWriter(DataDirectory(other.path), plan: old).close()
        #expect(try writer.removePutAside() == 1)
        #expect(!FileManager.default.fileExists(atPath: copy.path))
        try writer.close()
    }
}
