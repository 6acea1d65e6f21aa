import JSON
import Session

/// The items that a list shows of a window of rows, brought up to date where rows or waiting writes are others. They equal the
/// items that ``ListShape/items(_:_:_:)`` makes of all rows.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class PatchedItems {
    /// When more rows than this, and more than a quarter of all, may be others, the whole list is made again.
    nonisolated static let bulkMin = 500

    /// The facts on which all items depend.
    private struct Setting: Equatable {
        let seenUpTo: Int64
        let waitingSeenUpTo: Int64
    }

    let shape: ListShape
    private let window: RowWindow
    /// See ``bulkMin``.
    var bulkMin = PatchedItems.bulkMin
    private(set) var items: [JSONObject] = []
    /// How many items stand aside from the sorted ones.
    private var extraCount = 0
    /// The keys of the rows that waiting writes showed in.
    private var touched: Set<RowKey> = []
    private var ownKeys: OwnKeys
    private var setting: Setting?
    /// When the next item expires.
    private var expiry: String?
    /// Rows that are not in the window, and are shown all the same because of a waiting write.
    var beyond: [RowKey: JSONObject?] = [:]

    init(_ shape: ListShape, of window: RowWindow, user: String) {
        self.shape = shape
        self.window = window
        ownKeys = OwnKeys(of: user)
    }

    /// The keys of the rows that are shown because of waiting writes, although they are not in the window.
    func keysBeyond(_ overlay: Overlay) -> [RowKey] {
        guard shape == .chats else { return [] }
        return overlay.writtenChats.map { RowKey(.chats, $0) }.filter { window.row($0) == nil }
    }

    /// Brings the items up to date.
    /// - Returns: the steps.
    func update(_ overlay: Overlay, _ context: ListContext) -> [ListChange] {
        let before = window.takeBefore()
        let waiting = WaitingWrites(overlay, of: shape, context)
        ownKeys.recount(before, window)
        var keys = touched.union(waiting.byKey.keys)
        keys.formUnion(before.rows.keys)
        touched = Set(waiting.byKey.keys)
        let setting = Setting(seenUpTo: context.seenUpTo, waitingSeenUpTo: waiting.seenUpTo)
        let isOther = before.isEverything || setting != self.setting || expiry.map { context.now >= $0 } ?? false
        self.setting = setting
        if shape == .inbox {
            noteExpiry(isOther ? window.rows : before.rows.keys.compactMap(window.row), isOther, context)
        }
        let areMany = keys.count > bulkMin && keys.count > items.count / 4
        let isBulk = isOther && shape == .inbox || before.isEverything || areMany
        return isBulk ? makeAgain(waiting) : patch(keys, before, waiting)
    }

    private func noteExpiry(_ rows: [JSONObject], _ isAll: Bool, _ context: ListContext) {
        if isAll { expiry = nil }
        for row in rows {
            guard let expires = row.string("expires"), expires > context.now else { continue }
            expiry = expiry.map { min($0, expires) } ?? expires
        }
    }

    /// The item that one row and the writes on it make; nil when the list does not show it.
    private func item(of key: RowKey, _ waiting: WaitingWrites, beyond: JSONObject? = nil) -> JSONObject? {
        let row = window.row(key) ?? beyond
        let entries = waiting.byKey[key] ?? []
        if shape != .inbox, entries.isEmpty { return row }
        let overlay = Overlay(user: waiting.overlay.user, entries: entries + waiting.wide)
        return shape.items(row.map { [$0] } ?? [], overlay, waiting.context).first
    }

    private func makeAgain(_ waiting: WaitingWrites) -> [ListChange] {
        let others = beyond.compactMap { waiting.isFront($0) && window.row($0) == nil ? $1 : nil }
        let made = shape.items(others.isEmpty ? window.rows : window.rows + others, waiting.overlay, waiting.context)
        let changes =
            items.isEmpty
            ? made.enumerated().map { .add($1, at: $0) }
            : ListChange.steps(from: items, to: made, user: waiting.overlay.user)
        extraCount = extras(waiting).count
        items = made
        return changes
    }

    /// The items that stand aside: they are few.
    private func extras(_ waiting: WaitingWrites) -> [JSONObject] {
        switch shape {
        case .messages(let chat):
            let sends = waiting.overlay.sends(to: chat).filter { entry in
                entry.state == .uncertain || !ownKeys.has(entry.key, window)
            }
            return Overlay(user: waiting.overlay.user, entries: sends).messages([], of: chat)
        case .chats: return waiting.front.compactMap { item(of: $0, waiting, beyond: beyond[$0] ?? nil) }
        case .inbox, .topics, .documents: return []
        }
    }

    private func patch(_ keys: Set<RowKey>, _ before: BeforeRows, _ waiting: WaitingWrites) -> [ListChange] {
        var steps = ListSteps(items, shape, window.order, extraCount: extraCount, user: waiting.overlay.user)
        items = []  // so that it is not copied
        let find = { [window] (key: RowKey) -> Int? in
            let row = before.rows[key] ?? window.row(key)
            return (window.order.place(of: key) ?? row.map(window.order.place)).flatMap { steps.index(of: $0) }
        }
        for key in keys where !waiting.isFront(key) { steps.patch(find(key), to: item(of: key, waiting)) }
        let extras = extras(waiting)
        steps.removeExtras(but: extras)
        for (place, item) in extras.enumerated() {
            let sorted = shape.extrasFirst ? find(RowKey(.chats, of: item)) : nil
            steps.putExtra(item, at: place, from: steps.extra(like: item, from: place) ?? sorted)
        }
        (items, extraCount) = (steps.items, extras.count)
        return steps.changes
    }
}

/// The keys of the user's messages in a window, with how many rows have each; counted when one is asked for.
/// - Confinement: WatchWiseActor
@WatchWiseActor
private struct OwnKeys {
    private let user: String
    private var counts: [String: Int]?

    init(of user: String) { self.user = user }

    /// Whether a row is the user's message with this key.
    mutating func has(_ key: String, _ window: RowWindow) -> Bool {
        if counts == nil {
            counts = [:]
            for row in window.rows { count(row, 1) }
        }
        return counts?[key] != nil
    }

    mutating func recount(_ before: BeforeRows, _ window: RowWindow) {
        if before.isEverything { counts = nil }
        guard counts != nil else { return }
        for (key, row) in before.rows {
            count(row, -1)
            count(window.row(key), 1)
        }
    }

    private mutating func count(_ row: JSONObject?, _ by: Int) {
        guard let row, row.string("from") == user, let key = row.string("key"), !key.isEmpty else { return }
        let number = (counts?[key] ?? 0) + by
        counts?[key] = number == 0 ? nil : number
    }
}
