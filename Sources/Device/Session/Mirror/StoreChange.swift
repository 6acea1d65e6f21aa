package import JSON

/// A table of a device's store. Its rows are JSON objects, as `Tests/SessionVectors/README.md` describes them.
/// - Confinement: any
package enum StoreTable: String, Sendable, Hashable, CaseIterable {
    /// Values by name: the cursor, the device, preferences, counts.
    case meta
    case chats, messages, inbox, documents
    /// The position of each watched path.
    case watches
    case topics, outbox

    /// The column of the key; of a message it is followed by `n`.
    package var keyColumn: String {
        switch self {
        case .meta: "name"
        case .chats, .messages: "chat"
        case .inbox: "id"
        case .documents, .watches: "path"
        case .topics: "topic"
        case .outbox: "key"
        }
    }
}

/// The key of a row.
/// - Confinement: any
package struct RowKey: Sendable, Hashable {
    package let table: StoreTable
    package let name: String
    /// The number of a message; nil in other tables.
    package let n: Int64?

    package init(_ table: StoreTable, _ name: String, n: Int64? = nil) {
        self.table = table
        self.name = name
        self.n = n
    }

    /// The key of a row that is given.
    package init(_ table: StoreTable, of row: JSONObject) {
        self.init(
            table, row[table.keyColumn]?.stringValue ?? "", n: table == .messages ? row["n"]?.integerValue ?? 0 : nil)
    }
}

/// Rows that an event looks at.
/// - Confinement: any
package enum RowNeed: Sendable, Hashable {
    case row(RowKey)
    /// All messages of a chat after a number.
    case messages(chat: String, after: Int64)
}

/// A change of a device's store. All changes of one event are one transaction, with the cursor.
/// - Confinement: any
package enum StoreChange: Sendable, Equatable {
    case put(StoreTable, JSONObject)
    case delete(RowKey)
    case clear(StoreTable)
    /// Deletes the messages of a chat below a number, or all.
    case deleteMessages(chat: String, below: Int64?)
    /// Gives the messages of a chat to another one.
    case moveMessages(from: String, to: String)
    /// Stores an entry of the outbox; a new one gets its order.
    case keep(WriteEntry)
    /// Removes an entry of the outbox.
    case remove(key: String)

    /// Names a value of the table `meta`.
    package static func note(_ name: String, _ value: JSONValue) -> StoreChange {
        .put(.meta, ["name": .string(name), "value": value])
    }
}

/// The rows that are known to an event.
/// - Confinement: any
package struct KnownRows: Sendable {
    /// An absent row does not exist.
    package var rows: [RowKey: JSONObject] = [:]
    /// The messages after a number, by chat.
    package var messages: [String: [JSONObject]] = [:]

    package init() {}

    subscript(table: StoreTable, name: String, n: Int64? = nil) -> JSONObject? {
        rows[RowKey(table, name, n: n)]
    }

    /// Applies a change, so that the next event of a batch sees it.
    package mutating func apply(_ change: StoreChange) {
        switch change {
        case .put(let table, let row): rows[RowKey(table, of: row)] = row
        case .delete(let key): rows[key] = nil
        case .clear, .deleteMessages, .moveMessages, .keep, .remove: break
        }
    }
}
