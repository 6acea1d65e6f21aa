import CSQLite
import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import TestSupport
import Testing
@testable import Log

/// Bytes that SQLite believes to be written reach the file, or the next flush fails; only where each commit is flushed.
@Suite struct LogBufferTests {
    /// A file whose disk is full for some writes; SQLite's interface allows only a global state.
    private static let state = Mutex(Disk())

    private struct Disk {
        var writesThatFail = 0
        var content: [UInt8] = []
    }

    @Test
    func `bytes that a full disk refused when something was read are written by the next flush, or refused again`()
        throws
    {
        try unsafe OpenLog.with(Self.methods) { try unsafe Self.check($0) }
    }

    private static nonisolated(unsafe) let methods: UnsafePointer<sqlite3_io_methods> = {
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        unsafe methods.xWrite = { _, bytes, count, offset in
            LogBufferTests.state.withLock { disk in
                guard disk.writesThatFail == 0, let bytes = unsafe bytes else {
                    disk.writesThatFail -= 1
                    return SQLITE_FULL
                }
                let written = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
                unsafe disk.content.replaceSubrange(Int(offset)..<disk.content.count, with: written)
                return SQLITE_OK
            }
        }
        unsafe methods.xRead = { _, _, _, _ in SQLITE_OK }
        unsafe methods.xSync = { _, _ in SQLITE_OK }
        unsafe methods.xClose = { _ in SQLITE_OK }
        let kept = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe kept.initialize(to: methods)
        return unsafe UnsafePointer(kept)
    }()

    @unsafe
    private static func check(_ file: UnsafeMutablePointer<sqlite3_file>) throws {
        let buffered = unsafe try #require(file.pointee.pMethods).pointee
        let (write, read) = unsafe (try #require(buffered.xWrite), try #require(buffered.xRead))
        let (sync, close) = unsafe (try #require(buffered.xSync), try #require(buffered.xClose))
        var frame: [UInt8] = [1, 2, 3, 4]
        #expect(unsafe write(file, &frame, 4, 0) == SQLITE_OK)
        #expect(state.withLock { $0.content } == [])
        state.withLock { $0.writesThatFail = 2 }
        var page = [UInt8](repeating: 0, count: 4)
        #expect(unsafe read(file, &page, 4, 0) == SQLITE_FULL)
        #expect(unsafe sync(file, 0) == SQLITE_FULL, "a commit must not hold with a hole in the log")
        #expect(unsafe write(file, &frame, 4, 4) == SQLITE_OK)
        #expect(unsafe sync(file, 0) == SQLITE_OK)
        #expect(state.withLock { $0.content } == [1, 2, 3, 4, 1, 2, 3, 4])
        #expect(unsafe close(file) == SQLITE_OK)
    }

    /// A connection with a table and a first transaction, with the settings of the statements.
    private func connection(_ folder: TemporaryFolder, _ statements: String, isByAddress: Bool = true) throws
        -> DatabaseQueue
    {
        // The path has each character at which an address would end.
        let path = folder.path + "/50% of what? a #1"
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        let queue = try DatabaseQueue(path: isByAddress ? LogBuffer.address(of: path) : path)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: statements)
            try database.execute(sql: "CREATE TABLE t (v); INSERT INTO t VALUES (1)")
        }
        #expect(FileManager.default.fileExists(atPath: path))
        return queue
    }

    @Test(arguments: [
        ("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL", "mode 'delete'"),
        ("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", "synchronous = 1"),
        ("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF", "synchronous = 0"),
    ])
    func `a connection that does not flush each commit gets no buffer, and an error says why`(
        statements: String, reason: String
    ) throws {
        let folder = TemporaryFolder()
        let queue = try connection(folder, statements)
        let error = #expect(throws: DatabaseError.self) { try queue.writeWithoutTransaction { try $0.bufferLog() } }
        #expect(error?.message?.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func `a connection that was opened without the VFS gets no buffer`() throws {
        let folder = TemporaryFolder()
        let statements = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"
        let queue = try connection(folder, statements, isByAddress: false)
        let error = #expect(throws: DatabaseError.self) { try queue.writeWithoutTransaction { try $0.bufferLog() } }
        #expect(error?.message == "the log was not opened through the VFS watchwise-log")
    }

    @Test func `the log of a connection is known to the code of any object file`() throws {
        let folder = TemporaryFolder()
        let queue = try connection(folder, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        try queue.writeWithoutTransaction { database in
            try database.bufferLog()
            // The function here is another copy than that of the module Store.
            let end = unsafe watchwise_log_end(database.sqliteConnection)
            #expect(end > 0 && end == database.logEnd)
        }
    }

    @Test(arguments: ["FULL", "EXTRA"])
    func `other connections see a commit through the buffer at once`(synchronous: String) throws {
        let folder = TemporaryFolder()
        let queue = try connection(folder, "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous)")
        try queue.writeWithoutTransaction { try $0.bufferLog() }
        let reader = try Reader.connection(folder.path + "/50% of what? a #1")
        for number in 2...200 {
            try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(\(number * 97)))") }
            #expect(try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == number)
        }
        #expect(queue.writeWithoutTransaction { $0.logEnd } > 0)
    }

    /// A connection with a buffered log that SQLite does not move by itself, and a row of a hundred pages.
    private func unmoved(_ folder: TemporaryFolder) throws -> DatabaseQueue {
        let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0"
        let queue = try connection(folder, settings)
        try queue.writeWithoutTransaction { database in
            try database.bufferLog()
            try database.execute(sql: "UPDATE t SET v = zeroblob(409600)")
        }
        return queue
    }

    @Test func `the log counts each page once, however often it is written, until it begins again`() throws {
        let folder = TemporaryFolder()
        let queue = try unmoved(folder)
        for number in 1...20 {
            try queue.write { try $0.execute(sql: "UPDATE t SET v = randomblob(409600 + \(number))") }
        }
        let (pages, end) = queue.writeWithoutTransaction { ($0.logPages, $0.logEnd) }
        #expect((100...250).contains(pages))
        #expect(end > 20 * 409_600)
        // Some of these are pages that the first row has left.
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (randomblob(1638400))") }
        #expect((pages + 200...pages + 410).contains(queue.writeWithoutTransaction { $0.logPages }))
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
        try queue.write { try $0.execute(sql: "CREATE TABLE u (v)") }
        #expect((1...5).contains(queue.writeWithoutTransaction { $0.logPages }))
    }

    @Test func `the log is moved for many different pages, and not for the same ones again and again`() throws {
        let folder = TemporaryFolder()
        let queue = try unmoved(folder)
        let room = LogRoom(of: folder.path + "/50% of what? a #1")
        let end = {
            try queue.writeWithoutTransaction { database in
                try room.keep(database)
                // The log begins again with the next commit.
                try database.execute(sql: "INSERT INTO t VALUES (1)")
                return database.logEnd
            }
        }
        for _ in 1...30 {
            try queue.write { try $0.execute(sql: "UPDATE t SET v = randomblob(409600) WHERE rowid = 1") }
        }
        #expect(try end() > 12_000_000)
        for _ in 1...20 { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (randomblob(409600))") } }
        #expect(try end() < 100_000)
    }
}
