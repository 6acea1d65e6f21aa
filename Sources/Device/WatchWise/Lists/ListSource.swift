import Foundation
import JSON
import Session

/// The device as its lists see it.
@WatchWiseActor
protocol ListOwner: AnyObject {
    var user: String { get }
    var store: DeviceStore { get }
    var state: ConnectionState { get }
    /// The writes that wait.
    var entries: [WriteEntry] { get }
    /// The server's time, as far as this device knows it.
    var serverTime: Date { get }
    /// Messages that the device does not have.
    var missingMessages: MissingMessages { get }
    /// Whether a watched path is complete, or why it cannot be watched.
    func watchState(_ path: String) -> (isComplete: Bool, error: WatchWiseError?)
    /// The store does not give what it should.
    func engineFailed(_ error: any Error)
}

/// Facts about a list beside its items.
struct ListFacts: Sendable, Equatable {
    /// Whether no row is missing, as far as the store knows.
    var isComplete = true
    var error: WatchWiseError?
    var hasMore = false
}

/// The origin of a list's rows, and the way in which it shows them. A source notes which rows changed, reads them when its
/// reader next asks, and lays the waiting writes over them.
@WatchWiseActor
protocol ListSource: AnyObject {
    /// Watched documents that it needs.
    var paths: Set<String> { get }
    /// The chat that is on the screen while somebody reads this list.
    var chat: String? { get }
    /// Notes what changed, before anything is read.
    /// - Returns: whether the list may show something else now.
    func note(_ changes: Changes) -> Bool
    /// Reads what changed since it read last, and brings the items up to date.
    /// - Returns: the steps from the items that it showed last.
    func update(_ owner: any ListOwner) throws -> (changes: [ListChange], facts: ListFacts)
    /// Shows further rows.
    func grow(by count: Int)
}

extension ListSource {
    var paths: Set<String> { [] }
    var chat: String? { nil }
    func grow(by count: Int) {}
}

/// Rows that are few: all are read again when one of them changes.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class WholeSource: ListSource {
    /// Rows as the store has them, laid under the writes that wait.
    struct Loaded {
        var facts = ListFacts()
        var show: (Overlay) -> [JSONObject]
    }

    let paths: Set<String>
    private let isTouched: (ChangedName) -> Bool
    private let load: (any ListOwner) throws -> Loaded
    private var loaded: Loaded?
    private var items: [JSONObject] = []

    /// - Parameter isTouched: Says whether a change of that name concerns its rows.
    init(
        paths: Set<String> = [], isTouched: @escaping (ChangedName) -> Bool,
        load: @escaping (any ListOwner) throws -> Loaded
    ) {
        self.paths = paths
        self.isTouched = isTouched
        self.load = load
    }

    func note(_ changes: Changes) -> Bool {
        guard changes.byName.keys.contains(where: { $0 == .everything || isTouched($0) }) else { return false }
        loaded = nil
        return true
    }

    func update(_ owner: any ListOwner) throws -> (changes: [ListChange], facts: ListFacts) {
        let loaded = try self.loaded ?? load(owner)
        self.loaded = loaded
        let made = loaded.show(Overlay(user: owner.user, entries: owner.entries))
        defer { items = made }
        return (ListChange.steps(from: items, to: made, user: owner.user), loaded.facts)
    }
}

/// The rows of a window that changed, and are to be read.
/// - Confinement: WatchWiseActor
@WatchWiseActor
struct NotedRows {
    let window: RowWindow
    private let name: ChangedName?
    private var keys: Set<RowKey> = []
    private var isAll = true

    /// - Parameter name: that of the rows among changes; nil where they have names of their own.
    init(_ window: RowWindow, _ name: ChangedName?) {
        self.window = window
        self.name = name
    }

    mutating func add(_ added: Changes.Keys) {
        guard !isAll else { return }
        if case .only(let some) = added { keys.formUnion(some) }
        // Nobody may read for hours.
        if added == .all || keys.count > window.keysMax { (keys, isAll) = ([], true) }
    }

    mutating func note(_ changes: Changes) -> Bool {
        guard let added = changes.has(.everything) ? .all : name.flatMap({ changes[$0] }) else { return false }
        add(added)
        return true
    }

    mutating func read() throws {
        let (keys, isAll) = (keys, isAll)
        (self.keys, self.isAll) = ([], false)
        do {
            if isAll { try window.load() } else if !keys.isEmpty || window.isUnsure { try window.patch(keys) }
        } catch {
            self.isAll = true
            throw error
        }
    }
}

/// A window of rows: of those that changed only they are read, and only their items are made again.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class WindowSource: ListSource {
    /// The parts of a list that its window does not tell.
    struct About {
        var context = ListContext()
        var facts = ListFacts()
    }

    let paths: Set<String>
    let shown: PatchedItems
    let window: RowWindow
    private var noted: NotedRows
    private let depends: (Changes) -> Bool
    private let describe: (RowWindow, any ListOwner) throws -> About
    private var about = About()
    var context: ListContext { about.context }
    /// Whether `describe` may say something else.
    private var isOther = true

    /// - Parameters:
    ///   - depends: Says whether changes concern what `describe` reads.
    ///   - describe: The rest of the list, but `hasMore`, unless the store's rows are not all.
    init(
        _ shape: ListShape, of owner: any ListOwner, limit: Int, paths: Set<String> = [],
        depends: @escaping (Changes) -> Bool = { _ in false },
        describe: @escaping (RowWindow, any ListOwner) throws -> About = { _, _ in About() }
    ) {
        self.paths = paths
        self.depends = depends
        self.describe = describe
        window = RowWindow(shape.order, of: owner.store, limit: limit)
        shown = PatchedItems(shape, of: window, user: owner.user)
        noted = NotedRows(window, shape.changedName)
    }

    var chat: String? { if case .messages(let chat) = shown.shape { chat } else { nil } }

    func note(_ changes: Changes) -> Bool {
        var isOurs = noted.note(changes)
        if let documents = documents(changes) {
            noted.add(.only(documents))
            isOurs = true
        }
        let isOther = changes.has(.everything) || depends(changes) || isOurs
        self.isOther = self.isOther || isOther
        return isOther
    }

    /// The documents of the collection among changes.
    private func documents(_ changes: Changes) -> Set<RowKey>? {
        guard case .documents(let collection) = shown.shape else { return nil }
        let start = collection + "/"
        let paths = changes.byName.keys.compactMap { name in
            if case .document(let path) = name, path.hasPrefix(start), Mirror.collection(of: path) == collection {
                path
            } else {
                nil
            }
        }
        return paths.isEmpty ? nil : Set(paths.map { RowKey(.documents, $0) })
    }

    func grow(by count: Int) {
        window.grow(by: count)
        isOther = true
    }

    func update(_ owner: any ListOwner) throws -> (changes: [ListChange], facts: ListFacts) {
        let overlay = Overlay(user: owner.user, entries: owner.entries)
        do {
            try noted.read()
            let beyond = shown.keysBeyond(overlay)
            if isOther || beyond.contains(where: { shown.beyond[$0] == nil }) {
                shown.beyond = try owner.store.read { reader in
                    try Dictionary(uniqueKeysWithValues: beyond.map { ($0, try reader.row($0)) })
                }
            }
            if isOther { about = try describe(window, owner) }
            isOther = false
        } catch {
            isOther = true
            throw error
        }
        var facts = about.facts
        facts.hasMore = facts.hasMore || window.isMore
        return (shown.update(overlay, about.context), facts)
    }
}

/// The counts of what is unread: two windows of rows, and rows of `meta`.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class UnreadSource: ListSource {
    private var chats: NotedRows
    private var inbox: NotedRows
    private var counts: JSONValue = [:]
    private var seenUpTo: Int64 = 0
    private var isOther = true
    private var item: JSONObject?

    init(of owner: any ListOwner) {
        let window = { RowWindow($0, of: owner.store, limit: ListWindow.itemsMax) }
        chats = NotedRows(window(.chats), .chats)
        inbox = NotedRows(window(.inbox), .inbox)
    }

    func note(_ changes: Changes) -> Bool {
        let isOther = [.everything, .note("unread"), .note("seenUpTo")].contains(where: changes.has)
        self.isOther = self.isOther || isOther
        let areOurs = [chats.note(changes), inbox.note(changes)]
        return isOther || areOurs.contains(true)
    }

    func update(_ owner: any ListOwner) throws -> (changes: [ListChange], facts: ListFacts) {
        try chats.read()
        try inbox.read()
        if isOther {
            (counts, seenUpTo) = try owner.store.read { reader in
                (
                    try reader.note("unread") ?? ["chats": 0, "notifications": 0],
                    try reader.note("seenUpTo")?.integerValue ?? 0
                )
            }
        }
        isOther = false
        for window in [chats.window, inbox.window] { _ = window.takeBefore() }
        let overlay = Overlay(user: owner.user, entries: owner.entries)
        let made =
            overlay.unread(counts, chats: chats.window.rows, inbox: inbox.window.rows, seenUpTo: seenUpTo).objectValue
            ?? [:]
        defer { item = made }
        guard let item else { return ([.add(made, at: 0)], ListFacts()) }
        return (item == made ? [] : [.change(made, at: 0)], ListFacts())
    }
}

extension ListShape {
    /// Its rows in the store.
    var order: RowOrder {
        switch self {
        case .messages(let chat): .messages(of: chat)
        case .chats: .chats
        case .inbox: .inbox
        case .topics: .topics
        case .documents(let collection): .documents(in: collection)
        }
    }

    /// The name of its rows among changes; each document has one of its own.
    var changedName: ChangedName? {
        switch self {
        case .messages(let chat): .chat(chat)
        case .chats: .chats
        case .inbox: .inbox
        case .topics: .topics
        case .documents: nil
        }
    }
}
