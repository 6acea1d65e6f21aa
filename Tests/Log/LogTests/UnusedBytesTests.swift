import CSQLite
import Foundation
import GRDB
import GRDBSQLite
import TestSupport
import Testing
@testable import Log

/// SQLite leaves bytes of removed rows in pages that it has divided. They do not reach the database's file, and go from a file
/// that has them.
@Suite struct UnusedBytesTests {
    private static let word = "removable"
    private let folder = TemporaryFolder()

    private var path: String { folder.path + "/pages.db" }

    /// Rows that come in between others, so that pages are divided, and go again.
    private func fill(_ queue: DatabaseQueue) throws {
        try queue.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 0;
                    CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
                    CREATE INDEX by_text ON texts (text)
                    """)
            for step in [16, 8, 4, 2, 1] {
                try database.inTransaction {
                    for id in stride(from: step, through: 4000, by: 16) {
                        let text = "\(id % 3 == 0 ? Self.word : "staying") \(id * 7919 % 4001) of some length"
                        try database.execute(
                            sql: "INSERT OR REPLACE INTO texts VALUES (?, ?)",
                            arguments: [id, text + String(repeating: "x", count: id % 90)])
                    }
                    return .commit
                }
                try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            try database.execute(
                sql: "DELETE FROM texts WHERE text >= ? AND text < 'removablf'", arguments: [Self.word])
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    private func countInFile() throws -> Int {
        let content = try Data(contentsOf: URL(filePath: path))
        var (count, from) = (0, content.startIndex)
        while let found = content.range(of: Data(Self.word.utf8), in: from..<content.endIndex) {
            (count, from) = (count + 1, found.upperBound)
        }
        return count
    }

    private func open(_ address: String) throws -> DatabaseQueue {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        return try DatabaseQueue(path: address)
    }

    /// Everything in the database, which must be sound.
    private func content(_ queue: DatabaseQueue) throws -> [String] {
        try queue.read { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            return try String.fetchAll(database, sql: "SELECT id || text FROM texts ORDER BY id")
        }
    }

    @Test func `a page goes into the file without the bytes that it does not use`() throws {
        let queue = try open(LogBuffer.address(of: path))
        try fill(queue)
        #expect(try countInFile() == 0)
        #expect(try content(queue).count > 100)
    }

    @Test func `bytes that another program has left in the file go, and nothing else does`() throws {
        let plain = try open(path)
        try fill(plain)
        let before = try content(plain)
        try plain.close()
        #expect(try countInFile() > 0, "SQLite itself leaves some")

        let queue = try open(LogBuffer.address(of: path))
        var (page, cleared): (Int64?, Int) = (0, 0)
        try queue.writeWithoutTransaction { database in
            while let first = page {
                let step = try database.clearUnusedBytes(from: first, pages: 3)
                (page, cleared) = (step.next, cleared + step.cleared)
            }
        }
        #expect(cleared > 0)
        #expect(try countInFile() == 0)
        #expect(try content(queue) == before)
    }

    @Test func `a database that was opened without the VFS is refused`() throws {
        let queue = try open(path)
        let error = #expect(throws: DatabaseError.self) {
            try queue.writeWithoutTransaction { _ = try $0.clearUnusedBytes(from: 0, pages: 3) }
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    /// A page as ``watchwise_unused_bytes`` judges it.
    struct Page: Sendable {
        let kind: UInt8
        var offset: Int64 = 4096
        var pagesInFile: Int64 = 256
        let count: Int32
    }

    /// A page of an overflowing row begins with the number of the next one, which in a large file can look like a tree's kind.
    @Test(arguments: [
        Page(kind: 13, count: 4096 - 2008), Page(kind: 5, count: 4096 - 2012), Page(kind: 0, count: 0),
        Page(kind: 13, offset: 0, count: 0), Page(kind: 13, pagesInFile: 0x0200_0000, count: 0),
    ])
    func `only pages of trees have unused bytes, and a file that hides them is left alone`(
        page: Page
    ) {
        // 1,000 cells; the first one at the end of the page.
        let head: [UInt8] = [page.kind, 0, 0, 0x03, 0xe8, 0x10, 0x00, 0]
        let bytes = head + [UInt8](repeating: 1, count: 4096 - head.count)
        var start: Int32 = 0
        let size = page.pagesInFile * 4096
        #expect(unsafe watchwise_unused_bytes(bytes, 4096, page.offset, size, &start) == page.count)
    }
}
