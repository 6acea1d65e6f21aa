package import Journal
import ThreadMessages

/// The digests of a node's tables at an entry, on the subject `verified`.
///
/// - Confinement: any
package struct VerifiedMessage: Sendable, Hashable {
    let node: String
    let digests: TableDigests

    init(node: String, _ digests: TableDigests) {
        self.node = node
        self.digests = digests
    }

    /// Reads a message.
    ///
    /// - Throws: `JournalProblem/version(_:)` for the message of another program.
    package init(_ bytes: [UInt8]) throws(JournalProblem) {
        var reader = try MessageForm.open(bytes)
        node = try reader.text("node")
        let (number, entry) = (try reader.varint("number"), try reader.varint("entry"))
        let milliseconds = try reader.signed("milliseconds")
        var tables: [TableDigests.Table] = []
        for _ in 0..<(try reader.count("tables")) {
            let name = try reader.text("table")
            let rows = try reader.signed("rows")
            tables.append(.init(name: name, rows: rows, sums: [try reader.varint("sum"), try reader.varint("sum")]))
        }
        try reader.finish()
        digests = TableDigests(number: number, entry: entry, milliseconds: milliseconds, tables: tables)
    }

    package var bytes: [UInt8] {
        var bytes = MessageForm.begin()
        bytes.append(text: node)
        bytes.append(varint: digests.number)
        bytes.append(varint: digests.entry)
        bytes.append(signed: digests.milliseconds)
        bytes.append(count: digests.tables.count)
        for table in digests.tables {
            bytes.append(text: table.name)
            bytes.append(signed: table.rows)
            for index in 0..<2 { bytes.append(varint: index < table.sums.count ? table.sums[index] : 0) }
        }
        return bytes
    }
}
