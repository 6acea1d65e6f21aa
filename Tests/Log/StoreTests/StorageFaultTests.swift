import Foundation
import GRDB
import Model
import StoreTestSupport
import TestSupport
import Testing
@testable import Log
@testable import Store

struct StorageFaultTests {
    @Test(
        arguments: [
            (.SQLITE_FULL, .diskFull), (.SQLITE_READONLY_DBMOVED, .readOnly), (.SQLITE_IOERR_FSYNC, .notFlushed),
            (.SQLITE_IOERR_DIR_FSYNC, .notFlushed), (.SQLITE_IOERR_WRITE, .inputOutput), (.SQLITE_IOERR, .inputOutput),
            (.SQLITE_CANTOPEN, .cannotOpen), (.SQLITE_CORRUPT, .unreadable),
            (.SQLITE_CORRUPT_INDEX, .unreadable), (.SQLITE_NOTADB, .unreadable),
            (.SQLITE_BUSY, .locked), (.SQLITE_LOCKED, .locked), (.SQLITE_NOMEM, .other),
        ] as [(ResultCode, StorageFault)]
    )
    func `SQLite's codes say what is wrong`(code: ResultCode, fault: StorageFault) {
        #expect(StorageFault(DatabaseError(resultCode: code)) == fault)
        #expect(fault.mayPass == (fault != .damaged))
    }

    @Test func `every fault has a sentence of its own`() {
        #expect(Set(StorageFault.allCases.map(\.reason)).count == StorageFault.allCases.count)
        #expect(StorageFault(Failure()) == .other)
    }

    @Test func `a try writes when there is room, fails when there is none, and moves no position`() throws {
        let store = try TestStore()
        try store.writer.probe()
        try store.write { _ = try $0.appendSilently() }
        try store.setPagesMax(store.pageCount())
        try store.write { try $0.database.execute(sql: "DELETE FROM node WHERE name = 'probe'") }
        try store.write { transaction in
            _ = try transaction.append(Array(repeating: UInt8(ascii: "x"), count: 50_000), to: StreamID(stored: 9))
        }
        #expect(throws: DatabaseError.self) { try store.writer.probe() }
        #expect(try store.read { try $0.log.head() } == store.writer.head)
        try store.setPagesMax(1_000_000)
        try store.writer.probe()
        try store.writer.probe()
        #expect(store.writer.head == Position(2))
    }

    @Test func `a log that was left is written again as it was, and its commits are there`() throws {
        let folder = TemporaryFolder()
        let store = try TestStore(in: folder)
        for _ in 1...50 { try store.write { _ = try $0.appendSilently() } }
        // The files that a killed process leaves, without a close.
        let left = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: left.path, withIntermediateDirectories: false)
        for name in ["watchwise.db", "watchwise.db-wal"] {
            try FileManager.default.copyItem(atPath: folder.path + "/" + name, toPath: left.path + "/" + name)
        }
        let path = left.path + "/watchwise.db-wal"
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(before.count > 50 * 4096)
        try LeftLog.rewrite(besides: left.path + "/watchwise.db")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try TestStore(in: left).writer.head == Position(50))
    }

    @Test func `a log that cannot be written again is not believed`() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/watchwise.db-wal",
            withIntermediateDirectories: true
        )
        #expect(throws: DataDirectory.Problem.self) { try LeftLog.rewrite(besides: folder.path + "/watchwise.db") }
    }

    @Test func `the newest keys are kept whatever their age`() throws {
        let store = try TestStore()
        #expect(try store.read { try $0.keys.newestTime() } == nil)
        for age in Int64(1)...6 {
            try store.write { transaction in
                try transaction.keys.insert(
                    "k\(age)",
                    of: StreamID(stored: 2),
                    fingerprint: 0,
                    reply: Array("{}".utf8),
                    at: Timestamp(milliseconds: age)
                )
            }
        }
        #expect(try store.read { try $0.keys.newestTime() } == Timestamp(milliseconds: 6))
        let now = Timestamp(milliseconds: 1_000_000)
        try store.write { try $0.keys.deleteOlder(than: KeptTimes(0, at: now, log: now), limit: 100, newest: 4) }
        let left = try store.read { transaction in
            try (1...6).filter { try transaction.keys.find("k\($0)", of: StreamID(stored: 2)) != nil }
        }
        #expect(left == [3, 4, 5, 6])
    }
}
