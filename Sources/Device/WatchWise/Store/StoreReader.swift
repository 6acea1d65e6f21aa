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

    /// Rows in an order, from the first one or from those beyond a place; of messages the last ones before it.
    func rows(_ order: RowOrder, beyond place: RowPlace?, limit: Int) throws -> [JSONObject] {
        let column = order.table.keyColumn
        switch order.table {
        case .messages:
            let to = place.map { $0.number - 1 } ?? .max
            return try messages(of: order.group ?? "", to: to, limit: limit)
        case .chats, .inbox:
            let (number, name) = (place?.number ?? .max, place?.name ?? "")
            let bound = place == nil ? "" : "WHERE (place, \(column))<(?, ?) "
            return try rows(
                "SELECT row FROM \(order.table.rawValue) \(bound)ORDER BY place DESC, \(column) DESC LIMIT ?",
                place == nil ? [limit] : [number, name, limit])
        case .documents:
            return try rows(
                "SELECT row FROM documents WHERE collection=? AND path>? ORDER BY path LIMIT ?",
                [order.group, place?.name ?? "", limit])
        case .meta, .watches, .topics, .outbox:
            return try rows(
                "SELECT row FROM \(order.table.rawValue) WHERE \(column)>? ORDER BY \(column) LIMIT ?",
                [place?.name ?? "", limit])
        }
    }

    /// The changes that other processes have noted after a number.
    /// - Parameter own: The number of this process, whose changes are left out.
    /// - Returns: nil when not all of them are known; and the number of the last one.
    func changes(after number: Int64, without own: Int64) throws -> (changes: Changes?, last: Int64) {
        let found = try Row.fetchAll(
            database, sql: "SELECT number, writer, names FROM changed WHERE number>? ORDER BY number",
            arguments: [number])
        let last = try Int64.fetchOne(database, sql: "SELECT max(number) FROM changed") ?? 0
        guard last >= number, found.first.map({ $0["number"] == number + 1 }) ?? true else { return (nil, last) }
        var changes = Changes()
        let others = found.filter { $0["writer"] != own }
        for row in others {
            let text: String = row["names"]
            guard let more = Changes(try JSONValue(parsing: Array(text.utf8))) else { return (nil, last) }
            changes.add(more)
        }
        // A process with an earlier version of the library notes nothing.
        return (others.isEmpty ? nil : changes, last)
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
