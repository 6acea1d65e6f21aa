import GRDB
import JSON
import Session

/// Reads rows within one transaction.
struct StoreReader {
    let database: Database

    /// A row; nil when there is none.
    func row(_ key: RowKey) throws -> JSONObject? {
        let condition = key.table == .messages ? "chat=? AND n=?" : "\(key.table.keyColumn)=?"
        let values: [any DatabaseValueConvertible] = key.n.map { [key.name, $0] } ?? [key.name]
        return try rows(
            "SELECT row FROM \(key.table.rawValue) WHERE \(condition)", StatementArguments(values)
        ).first
    }

    /// A value of the table `meta`.
    func note(_ name: String) throws -> JSONValue? { try row(RowKey(.meta, name))?["value"] }

    /// Rows with the greatest places first.
    /// - Parameter below: Only rows whose place is below it.
    func newest(_ table: StoreTable, below: Int64 = .max, limit: Int) throws -> [JSONObject] {
        try rows("SELECT row FROM \(table.rawValue) WHERE place<? ORDER BY place DESC LIMIT ?", [below, limit])
    }

    /// Messages of a chat in the order of their numbers: the last ones of a range, or the first ones.
    func messages(
        of chat: String, from: Int64 = .min, to: Int64 = .max, limit: Int, isFromEnd: Bool = true
    ) throws -> [JSONObject] {
        let order = isFromEnd ? "DESC" : "ASC"
        let found = try rows(
            "SELECT row FROM messages WHERE chat=? AND n>=? AND n<=? ORDER BY n \(order) LIMIT ?",
            [chat, from, to, limit])
        return isFromEnd ? found.reversed() : found
    }

    /// The documents directly in a collection, by path.
    func documents(in collection: String) throws -> [JSONObject] {
        try rows("SELECT row FROM documents WHERE collection=? ORDER BY path", [collection])
    }

    /// All rows of a table by their keys.
    func all(_ table: StoreTable) throws -> [JSONObject] {
        try rows("SELECT row FROM \(table.rawValue) ORDER BY \(table == .outbox ? "place" : table.keyColumn)", [])
    }

    /// The entries of the outbox in their order.
    func entries() throws -> [WriteEntry] { try all(.outbox).compactMap { WriteEntry(.object($0)) } }

    private func rows(_ sql: String, _ arguments: StatementArguments) throws -> [JSONObject] {
        let statement = try database.cachedStatement(sql: sql)
        return try String.fetchAll(statement, arguments: arguments).compactMap { text in
            try JSONValue(parsing: Array(text.utf8), depthMax: AnyJSON.depthMax + 8).objectValue
        }
    }
}
