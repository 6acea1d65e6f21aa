import JSON
import Journal
package import Store

/// The digests of a node's tables at one entry of the journal, to find out whether the nodes' databases are equal.
///
/// - Confinement: any
package struct TableDigests: Sendable, Hashable {
    /// - Confinement: any
    package struct Table: Sendable, Hashable {
        package let name: String
        package let rows: Int64
        /// Two sums over all rows, see ``/Store/DatabaseDigest``.
        package let sums: [UInt64]

        package init(name: String, rows: Int64, sums: [UInt64]) {
            self.name = name
            self.rows = rows
            self.sums = sums
        }
    }

    /// Of the comparison.
    package let number: UInt64
    /// The entry of the journal.
    package let entry: UInt64
    /// How long the node has read.
    package let milliseconds: Int64
    /// In the order of their names.
    package let tables: [Table]

    package init(number: UInt64, entry: UInt64, milliseconds: Int64, tables: [Table]) {
        self.number = number
        self.entry = entry
        self.milliseconds = milliseconds
        self.tables = tables
    }

    package init(_ digest: DatabaseDigest, number: UInt64, milliseconds: Int64) {
        self.init(
            number: number, entry: digest.place?.sequence ?? 0, milliseconds: milliseconds,
            tables: digest.tables.sorted { $0.key < $1.key }
                .map { Table(name: $0.key, rows: $0.value.rows, sums: $0.value.sums) })
    }

    /// Of all tables.
    package var rows: Int64 { tables.reduce(0) { $0 + $1.rows } }

    /// The names of the tables that differ, or that one of both lacks; nil when the two are not of the same entry.
    package func differences(from other: TableDigests) -> [String]? {
        guard number == other.number, entry == other.entry else { return nil }
        let (own, others) = (Set(tables), Set(other.tables))
        return Set(own.symmetricDifference(others).map(\.name)).sorted()
    }

    /// A short text that is equal for equal tables.
    package var text: String {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        for table in tables {
            let words = table.name.utf8.map(UInt64.init) + [UInt64(bitPattern: table.rows)] + table.sums
            for word in words { state = (state ^ word) &* 0x100_0000_01b3 ^ (state >> 31) }
        }
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// For `GET /v1/cluster`.
    ///
    /// - Parameter own: of the node that answers.
    func json(comparedWith own: TableDigests?) -> JSONObject {
        let names = own.flatMap { differences(from: $0) }
        let differs = names.map { JSONValue.array($0.map { .string($0) }) } ?? .null
        return [
            "number": .integer(Int64(clamping: number)), "entry": .integer(Int64(clamping: entry)),
            "tables": .integer(Int64(tables.count)), "rows": .integer(rows), "digest": .string(text),
            "milliseconds": .integer(milliseconds),
            "differs": differs,
        ]
    }
}
