internal import Foundation
import GRDB
package import Journal

/// Digests of all tables that nodes share, to find out whether their databases are equal (`watchwise cluster verify`).
///
/// A table's digest is the sum of the digests of its rows, so the order in which rows are read does not matter, and a row
/// is read once. It finds accidents, not forgeries.
///
/// - Confinement: any
package struct DatabaseDigest: Sendable, Hashable {
    /// The entry of the journal that the tables have.
    package let place: JournalPlace?
    /// For each table by its name, its number of rows and its digest.
    package let tables: [String: Table]

    /// - Confinement: any
    package struct Table: Sendable, Hashable {
        package internal(set) var rows: Int64 = 0
        /// Two sums of 64 bits, over different digests of the rows.
        package internal(set) var sums: [UInt64] = [0, 0]
    }

    /// The names of the tables that differ, or that one of both lacks.
    package func differences(from other: DatabaseDigest) -> [String] {
        Set(tables.keys).union(other.tables.keys).filter { tables[$0] != other.tables[$0] }.sorted()
    }

    /// The table of the node alone, and those that SQLite and GRDB keep.
    private static func isOwn(_ table: String) -> Bool {
        table == NodeWrites.table || table.hasPrefix("sqlite_") || table.hasPrefix("grdb_")
    }

    /// Reads all tables in the transaction of the connection.
    ///
    /// - Throws: `DatabaseError`.
    init(of database: Database) throws {
        place = try ReadAccess(database: database).journalPlace()
        let names = try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        var found: [String: Table] = [:]
        for name in names where !Self.isOwn(name) {
            found[name] = try Self.digest(of: name, in: database)
        }
        tables = found
    }

    private static func digest(of name: String, in database: Database) throws -> Table {
        var table = Table()
        // The place in the journal is another one in each database that is not compared at the same entry.
        let own = name == "meta" ? " WHERE name NOT IN ('journal', 'term', 'author')" : ""
        let rows = try Row.fetchCursor(database, sql: "SELECT * FROM \"\(name)\"\(own)")
        while let row = try rows.next() {
            table.rows += 1
            for seed in table.sums.indices {
                var digest = RowDigest(seed: UInt64(seed))
                for index in 0..<row.count { digest.add(row[index] as DatabaseValue) }
                table.sums[seed] &+= digest.value
            }
        }
        return table
    }
}

extension Writer {
    /// The digests of all tables as they are now, on the writing connection.
    ///
    /// - Throws: `DatabaseError`.
    package func digestTables() throws -> DatabaseDigest {
        try current().queue.read { try DatabaseDigest(of: $0) }
    }
}

/// The digest of one row: FNV-1a over its values with their kinds and lengths, mixed at the end so that sums of rows do not
/// cancel out.
///
/// - Confinement: any
private struct RowDigest {
    private var state: UInt64

    init(seed: UInt64) { state = 0xcbf2_9ce4_8422_2325 ^ (seed &* 0x9e37_79b9_7f4a_7c15) }

    mutating func add(_ value: DatabaseValue) {
        switch value.storage {
        case .null: add(byte: 0)
        case .int64(let number):
            add(byte: 1)
            add(UInt64(bitPattern: number))
        case .double(let number):
            add(byte: 2)
            add(number.bitPattern)
        case .string(let text):
            add(byte: 3)
            add(UInt64(text.utf8.count))
            for byte in text.utf8 { add(byte: byte) }
        case .blob(let data):
            add(byte: 4)
            add(UInt64(data.count))
            for byte in data { add(byte: byte) }
        }
    }

    var value: UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    private mutating func add(_ word: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }

    private mutating func add(byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
}
