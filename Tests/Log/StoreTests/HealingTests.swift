import Foundation
import GRDB
import Model
import StoreTestSupport
import TestSupport
import Testing
@testable import Log
@testable import Store

/// The store after a fault of the disk.
struct HealingTests {
    /// Puts a folder in the place of the database's file while `body` runs: it can neither be opened nor read again.
    private static func hidden<Value>(_ store: TestStore, _ body: () throws -> Value) throws -> Value {
        let path = store.folder.path + "/watchwise.db"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer {
            try? FileManager.default.removeItem(atPath: path)
            try? FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        }
        return try body()
    }

    private static let readFailed = DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a read failed")
    /// After this error the connection stays open.
    private static let notFlushed = DatabaseError(resultCode: .SQLITE_IOERR_FSYNC, message: "a flush failed")

    @Test func `after a failed commit and a failed read nothing of the undone transaction is remembered`() throws {
        let store = try TestStore()
        try store.write { _ = try $0.appendSilently() }
        try Self.hidden(store) {
            #expect(throws: DatabaseError.self) {
                try store.write { transaction -> Void in
                    for _ in 1...3 { _ = try transaction.appendSilently() }
                    throw Self.readFailed
                }
            }
            // It reads the database again, and not its memory.
            #expect(throws: DatabaseError.self) { try store.write { _ = try $0.appendSilently() } }
            #expect(throws: DatabaseError.self) { try store.read { try $0.log.head() } }
        }
        let position = try store.write { try $0.appendSilently() }
        #expect(position == Position(2))
        #expect(store.writer.head == Position(2))
        #expect(try store.read { try $0.log.count() } == 2)
    }

    @Test func `after a failed commit the database says where it stands, whatever was remembered`() throws {
        let store = try TestStore()
        let users = [try store.user("alice"), try store.user("bob")]
        let chat = try #require(ChatID("alice:bob"))
        try store.write { _ = try $0.chats.make(chat, members: users) }
        _ = try store.write { try $0.chats.find(chat) }
        let before = try store.write { try $0.appendSilently() }
        // A row that is in the database although the writer got a failure: here another connection writes it.
        let other = try DatabaseQueue(path: store.folder.path + "/watchwise.db")
        try other.write { database in
            try database.execute(sql: "INSERT INTO changes(seq, stream) SELECT max(seq) + 1, 9 FROM changes")
            try database.execute(sql: "UPDATE chats SET last = 7")
        }
        #expect(throws: DatabaseError.self) { try store.write { _ -> Void in throw Self.notFlushed } }
        #expect(store.writer.head == before.next)
        #expect(try store.write { try $0.chats.find(chat)?.last } == 7)
        #expect(try store.write { try $0.appendSilently() } == before.next.next)
    }

    @Test func `entries that an undone transaction has gathered for the log are never written`() throws {
        let store = try TestStore()
        let path = store.folder.path + "/watchwise.db"
        // Fewer pages than SQLite needs to write a part of the transaction to the log before its end.
        try store.write { try $0.database.execute(sql: "PRAGMA cache_size = 10") }
        // Of a log that is empty nothing is read, before which what was gathered would be written.
        try DatabaseQueue(path: path).writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let log = URL(filePath: path + "-wal")
        #expect(try Data(contentsOf: log).isEmpty)
        let undone = Array(String(repeating: "undone", count: 13_000).utf8)
        #expect(throws: DatabaseError.self) {
            try store.write { transaction -> Void in
                _ = try transaction.append(undone, to: StreamID(stored: 9))
                throw Self.notFlushed
            }
        }
        try store.write { _ = try $0.append(Array("stands".utf8), to: StreamID(stored: 9)) }
        let written = try Data(contentsOf: log)
        #expect(written.range(of: Data("stands".utf8)) != nil)
        #expect(written.range(of: Data("undone".utf8)) == nil)
    }

    @Test func `an item that fails by the disk fails its batch, and no item of it is answered as refused`() throws {
        let store = try TestStore()
        #expect(throws: DatabaseError.self) {
            _ = try store.writer.commit([1, 2, 3]) { item, transaction -> Int64 in
                if item == 2 { throw Self.readFailed }
                return try transaction.appendSilently().value
            } refuse: { _ in
                -1
            }
        }
        try store.writer.probe()
        #expect(try store.read { try $0.log.count() } == 0)
    }

    @Test func `a reader opens its connection again after a failed read`() throws {
        let store = try TestStore()
        try store.write { _ = try $0.appendSilently() }
        let reader = try Storage.openReader(store.directory)
        #expect(throws: DatabaseError.self) { try reader.read { _ -> Void in throw Self.readFailed } }
        #expect(try reader.read { try $0.log.count() } == 1)
        #expect(!reader.doubt(after: Failure()))
        try reader.close()
    }

    @Test func `a full disk does not stop reading`() throws {
        let store = try TestStore()
        try store.write { transaction in
            for _ in 1...20 { _ = try transaction.append(Array(repeating: 120, count: 5000), to: StreamID(stored: 9)) }
        }
        try store.setPagesMax(store.pageCount())
        for _ in 1...3 {
            #expect(throws: DatabaseError.self) {
                try store.write { _ = try $0.append(Array(repeating: 120, count: 500_000), to: StreamID(stored: 9)) }
            }
            #expect(try store.read { try $0.log.count() } == 20)
        }
    }

    @Test func `a check calls a whole file whole, and a damaged one damaged`() throws {
        let folder = TemporaryFolder()
        let store = try TestStore(in: folder)
        try store.write { transaction in
            for _ in 1...200 { _ = try transaction.append(Array(repeating: 120, count: 2000), to: StreamID(stored: 9)) }
        }
        var tables: [String] = []
        let whole = DatabaseCheck(store.directory).run { table in
            tables.append(table)
            return true
        }
        #expect(whole == .whole(tables: tables.count))
        #expect(tables.contains("changes") && tables.contains("messages"))
        #expect(DatabaseCheck(store.directory).run { _ in false } == .unfinished(tables: 0, of: tables.count))
        try store.writer.close()
        let file = try FileHandle(forUpdating: URL(filePath: folder.path + "/watchwise.db"))
        let size = try file.seekToEnd()
        // Pages of the largest table.
        for page in (size / 4096 - 60)..<(size / 4096 - 50) {
            try file.seek(toOffset: page * 4096)
            try file.write(contentsOf: Data(repeating: 0xa5, count: 4096))
        }
        try file.close()
        let finding = DatabaseCheck(store.directory).run { _ in true }
        guard case .damaged("changes", let problem) = finding else {
            Issue.record("the damage was not found: \(finding)")
            return
        }
        #expect(problem.contains("Page"))
    }
}
