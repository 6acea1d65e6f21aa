import GRDB
import JSON
import Session

/// Changes rows within one transaction. Rows that several events of a batch change are read once and written once.
struct StoreWriter {
    private let database: Database
    private let reader: StoreReader
    /// Rows that were read or changed; nil: there is none.
    private var known: [RowKey: JSONObject?] = [:]
    private var changed: Set<RowKey> = []
    /// The orders of the entries of the outbox that were kept, by key.
    private(set) var orders: [String: Int64] = [:]
    /// The rows that were changed, for lists.
    private(set) var changes = Changes()
    private var isChanged = false

    init(_ database: Database) {
        self.database = database
        reader = StoreReader(database: database)
    }

    /// A row as it is now.
    mutating func row(_ key: RowKey) throws -> JSONObject? {
        if let known = known[key] { return known }
        let row = try reader.row(key)
        known.updateValue(row, forKey: key)
        return row
    }

    /// Reads what an event looks at.
    mutating func rows(for needs: [RowNeed]) throws -> KnownRows {
        var rows = KnownRows()
        for need in needs {
            switch need {
            case .row(let key): rows.rows[key] = try row(key)
            case .messages(let chat, let after):
                try flush()
                rows.messages[chat] = try reader.messages(of: chat, from: after + 1, limit: 200, isFromEnd: false)
            }
        }
        return rows
    }

    /// Reads rows that no change is known of yet.
    mutating func reading<Output>(_ read: (StoreReader) throws -> Output) throws -> Output {
        try flush()
        return try read(reader)
    }

    mutating func apply(_ change: StoreChange) throws {
        changes.add(change)
        isChanged = true
        switch change {
        case .put(let table, let row): set(row, at: RowKey(table, of: row))
        case .delete(let key): set(nil, at: key)
        case .clear(let table):
            try flush()
            known = known.filter { $0.key.table != table }
            try run("DELETE FROM \(table.rawValue)", [])
        case .deleteMessages(let chat, let below):
            try forgetMessages()
            try run("DELETE FROM messages WHERE chat=? AND n<?", [chat, below ?? .max])
        case .moveMessages(let chat, let name):
            try forgetMessages()
            let moved = try reader.messages(of: chat, limit: .max)
            try run("DELETE FROM messages WHERE chat=?", [chat])
            for row in moved { try put(row.with(["chat": .string(name)]), .messages) }
        case .keep(let entry): try keep(entry)
        case .remove(let key): try run("DELETE FROM outbox WHERE key=?", [key])
        }
    }

    /// Writes what changed.
    mutating func flush() throws {
        for key in changed {
            if let row = known[key] ?? nil {
                try put(row, key.table)
            } else {
                let condition = key.table == .messages ? "chat=? AND n=?" : "\(key.table.keyColumn)=?"
                let values: [any DatabaseValueConvertible] = key.n.map { [key.name, $0] } ?? [key.name]
                try run("DELETE FROM \(key.table.rawValue) WHERE \(condition)", StatementArguments(values))
            }
        }
        changed = []
    }

    /// Notes what was changed, for other processes: also that no list shows it.
    /// - Parameter writer: The number of this process.
    func noteChanges(by writer: Int64) throws {
        guard isChanged else { return }
        try run("INSERT INTO changed (writer, names) VALUES (?, ?)", [writer, changes.json.text])
        try run("DELETE FROM changed WHERE number<=?", [database.lastInsertedRowID - Int64(StoreSchema.changesMax)])
    }

    private mutating func set(_ row: JSONObject?, at key: RowKey) {
        known.updateValue(row, forKey: key)
        changed.insert(key)
    }

    private mutating func forgetMessages() throws {
        try flush()
        known = known.filter { $0.key.table != .messages }
    }

    private mutating func keep(_ entry: WriteEntry) throws {
        var entry = entry
        if entry.order == nil {
            let known = try database.cachedStatement(sql: "SELECT place FROM outbox WHERE key=?")
            entry.order = try Int64.fetchOne(known, arguments: [entry.key])
        }
        if entry.order == nil {
            try run("INSERT INTO outbox (key, row) VALUES (?, '{}')", [entry.key])
            entry.order = database.lastInsertedRowID
        }
        orders[entry.key] = entry.order
        // At its old place a write that is tried again has another key.
        try run(
            "INSERT OR REPLACE INTO outbox (place, key, row) VALUES (?, ?, ?)",
            [entry.order, entry.key, JSONValue.object(entry.json).text])
    }

    private func put(_ row: JSONObject, _ table: StoreTable) throws {
        let columns = StoreSchema.columns(of: table)
        let values: [(any DatabaseValueConvertible)?] = columns.map { column in
            switch column {
            case "place": row.integer("seq")
            case "n": row.integer("n")
            default: row.string(column) ?? ""
            }
        }
        let marks = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
        try run(
            "INSERT OR REPLACE INTO \(table.rawValue) (\(columns.joined(separator: ", ")), row) VALUES (\(marks))",
            StatementArguments(values + [JSONValue.object(row).text]))
    }

    private func run(_ sql: String, _ arguments: StatementArguments) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
