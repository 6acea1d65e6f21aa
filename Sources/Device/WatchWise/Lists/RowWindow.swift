import JSON
import Session

/// The rows that a window shows some of: those of a table in one order.
struct RowOrder: Sendable, Hashable {
    let table: StoreTable
    /// The chat of messages, or the collection of documents.
    let group: String?

    /// The messages of a chat by number.
    static func messages(of chat: String) -> RowOrder { RowOrder(table: .messages, group: chat) }
    /// The documents of a collection by path.
    static func documents(in collection: String) -> RowOrder { RowOrder(table: .documents, group: collection) }
    /// The chats with the newest messages first.
    static let chats = RowOrder(table: .chats, group: nil)
    /// The newest notifications first.
    static let inbox = RowOrder(table: .inbox, group: nil)
    /// The topics by name.
    static let topics = RowOrder(table: .topics, group: nil)

    /// The end at which a window does not go on: of messages it has the last ones.
    var isOpenAtStart: Bool { table == .messages }
    /// Whether the key of a row tells its place.
    var isByKey: Bool { table != .chats && table != .inbox }

    /// Whether a row is one of them.
    func has(_ row: JSONObject) -> Bool { table != .documents || row.string("collection") == group }

    /// The place of a row.
    func place(of row: JSONObject) -> RowPlace {
        switch table {
        case .messages: RowPlace(number: row.integer("n"), name: "")
        case .chats, .inbox:
            RowPlace(number: row.integer("seq"), name: row.string(table.keyColumn) ?? "", isDescending: true)
        case .meta, .documents, .watches, .topics, .outbox:
            RowPlace(number: 0, name: row.string(table.keyColumn) ?? "")
        }
    }

    /// The place of the row with a key; nil where the key does not tell it.
    func place(of key: RowKey) -> RowPlace? {
        isByKey ? RowPlace(number: key.n ?? 0, name: key.n == nil ? key.name : "") : nil
    }
}

/// The place of a row in an order.
struct RowPlace: Comparable {
    let number: Int64
    let name: String
    var isDescending = false

    static func < (one: RowPlace, other: RowPlace) -> Bool {
        if one.isDescending { return isBelow(other, one) }
        return isBelow(one, other)
    }

    private static func isBelow(_ one: RowPlace, _ other: RowPlace) -> Bool {
        one.number == other.number ? Overlay.isBefore(one.name, other.name) : one.number < other.number
    }
}

extension RowOrder {
    /// The first index in a sorted part of a list at which a row is not before a place.
    func index(of place: RowPlace, in rows: [JSONObject], _ part: Range<Int>) -> Int {
        var (from, to) = (part.lowerBound, part.upperBound)
        while from < to {
            let middle = (from + to) / 2
            if self.place(of: rows[middle]) < place { from = middle + 1 } else { to = middle }
        }
        return from
    }
}

/// Rows of the store that a list has in memory: the first ones of an order, at most a number of them; of messages the last
/// ones. Of changes only the rows with their keys are read.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class RowWindow {
    /// Up to this number keys are read one by one, also where the window has fewer rows.
    private static let keysMin = 50

    let order: RowOrder
    private let store: DeviceStore
    private(set) var limit: Int
    private(set) var rows: [JSONObject] = []
    /// Where the key tells no place.
    private var byKey: [RowKey: JSONObject]?
    /// Whether the store has further rows.
    private(set) var isMore = false
    /// Whether that is to be looked up again.
    private(set) var isUnsure = false
    private var before = BeforeRows()

    init(_ order: RowOrder, of store: DeviceStore, limit: Int) {
        self.order = order
        self.store = store
        self.limit = max(1, limit)
        byKey = order.isByKey ? nil : [:]
    }

    /// The most keys that are read one by one.
    var keysMax: Int { max(rows.count, Self.keysMin) }

    /// The row with a key, if it is in the window.
    func row(_ key: RowKey) -> JSONObject? {
        guard let place = order.place(of: key) else { return byKey?[key] }
        let index = index(of: place)
        return index < rows.count && order.place(of: rows[index]) == place ? rows[index] : nil
    }

    /// The last row on the side of those that it has not.
    var last: JSONObject? { order.isOpenAtStart ? rows.first : rows.last }

    func grow(by count: Int) {
        limit = limit.addingReportingOverflow(max(0, count)).overflow ? .max : limit + max(0, count)
        isUnsure = true
    }

    /// The rows that were there at the last call, and are others now.
    func takeBefore() -> BeforeRows {
        defer { before = BeforeRows() }
        return before
    }

    /// Reads all rows.
    func load() throws {
        let (found, isMore) = try read(beyond: nil, limit)
        let old = rows
        (rows, self.isMore, isUnsure) = (found, isMore, false)
        if old.isEmpty, found.count > PatchedItems.bulkMin {
            before.isEverything = true
        } else {
            note(old, found)
        }
        if byKey != nil { byKey = Dictionary(found.map { (key(of: $0), $0) }) { first, _ in first } }
    }

    private func note(_ old: [JSONObject], _ found: [JSONObject]) {
        var at = 0
        for row in found {
            let place = order.place(of: row)
            while at < old.count, order.place(of: old[at]) < place {
                before.note(key(of: old[at]), old[at])
                at += 1
            }
            let isHere = at < old.count && order.place(of: old[at]) == place
            if !isHere {
                before.note(key(of: row), byKey?[key(of: row)])
            } else if old[at] != row {
                before.note(key(of: row), old[at])
            }
            if isHere { at += 1 }
        }
        for row in old[at...] { before.note(key(of: row), row) }
    }

    /// Reads the rows with these keys.
    func patch(_ keys: Set<RowKey>) throws {
        if keys.count > keysMax { return try load() }
        let found = try store.read { reader in try keys.map { (key: $0, row: try reader.row($0)) } }
        for (key, row) in found { put(key, row.flatMap { order.has($0) ? $0 : nil }) }
        try fill()
    }

    private func put(_ key: RowKey, _ row: JSONObject?) {
        if let old = self.row(key) {
            if old == row { return }
            remove(old)
        } else if isMore {
            isUnsure = true  // it may have been the only one beyond
        }
        guard let row else { return }
        let index = index(of: order.place(of: row))
        // The rows between it and the last one are not known.
        let isBeyond = isMore && index == (order.isOpenAtStart ? 0 : rows.count)
        if !isBeyond { add(row, at: index) }
    }

    private func add(_ row: JSONObject, at index: Int) {
        let key = key(of: row)
        before.note(key, nil)
        byKey?[key] = row
        rows.insert(row, at: index)
    }

    private func remove(_ row: JSONObject) {
        let key = key(of: row)
        before.note(key, row)
        byKey?[key] = nil
        rows.remove(at: index(of: order.place(of: row)))
    }

    /// Brings it to its length again.
    private func fill() throws {
        while rows.count > limit, let last {
            remove(last)
            (isMore, isUnsure) = (true, false)
        }
        let wasUnsure = isUnsure
        isUnsure = false
        guard isMore, rows.count < limit || wasUnsure else { return }
        let (found, isMore) = try read(beyond: last.map(order.place), limit - rows.count)
        for row in order.isOpenAtStart ? found.reversed() : found { add(row, at: order.isOpenAtStart ? 0 : rows.count) }
        self.isMore = isMore
    }

    /// Rows in the order of the list, from the first, or from those beyond a place; and whether there are more.
    private func read(beyond place: RowPlace?, _ count: Int) throws -> (rows: [JSONObject], isMore: Bool) {
        let most = count == .max ? count : count + 1
        var rows = try store.read { try $0.rows(order, beyond: place, limit: most) }
        guard rows.count > count else { return (rows, false) }
        rows.remove(at: order.isOpenAtStart ? 0 : count)
        return (rows, true)
    }

    private func key(of row: JSONObject) -> RowKey { RowKey(order.table, of: row) }
    private func index(of place: RowPlace) -> Int { order.index(of: place, in: rows, rows.indices) }
}

/// The rows of a window that were there before some of them changed.
struct BeforeRows {
    /// By the keys of rows that are others now; nil for new ones.
    private(set) var rows: [RowKey: JSONObject?] = [:]
    /// Whether nothing was there, and too many came to be named.
    var isEverything = false

    /// Keeps what was there first.
    mutating func note(_ key: RowKey, _ row: JSONObject?) {
        if rows[key] == nil { rows.updateValue(row, forKey: key) }
    }
}
