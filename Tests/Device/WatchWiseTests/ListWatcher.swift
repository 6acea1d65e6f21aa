import JSON
import Testing

@testable import Session
@testable import WatchWise

/// A process with lists of all kinds, each with a window that chance chose, and the items that its reader has.
@WatchWiseActor
final class ListWatcher {
    /// One list: rows in the middle of it may be such that no value can be made of them.
    @WatchWiseActor
    struct Watched {
        let name: String
        let token: ListToken
        let window: ListWindow
        let shown: ShownItems<String>
        var source: any ListSource { token.list.source }
    }

    static let chats = ["alice:bob", "alice:carol", "alice:dora", "room:1", "room:2"]
    static let collection = "users/alice/tasks"

    let ww: WatchWise
    let lists: [Watched]
    var device: Device { ww.device }

    init(_ ww: WatchWise, _ random: inout JitterSource) {
        self.ww = ww
        let limits = [1, 2, 3, 5, 50, Int.max]
        let windows: [(String, (Int) -> ListWindow)] =
            Self.chats.map { chat in ("messages of \(chat)", { .messages(of: chat, limit: $0) }) } + [
                ("chats", { .chats(limit: $0) }), ("inbox", { .inbox(limit: $0) }), ("topics", { .topics(limit: $0) }),
                ("documents", { .collection(Self.collection, limit: $0) }), ("unread", { _ in .unread() }),
                ("invitations", { _ in .invitations() }), ("preferences", { _ in .preferences() }),
                ("outbox", { _ in .outbox() }), ("document", { _ in .document(Self.collection + "/3") }),
            ]
        var lists: [Watched] = []
        for (name, make) in windows {
            let window = make(limits.randomElement(using: &random) ?? 1)
            // The way of many changes, and that of few.
            let token = ww.device.open(window)
            (token.list.source as? WindowSource)?.shown.bulkMin = [0, 2, 500].randomElement(using: &random) ?? 0
            let shown = ShownItems<String> { row in
                let text = JSONValue.object(row).text
                return text.utf8.reduce(0) { ($0 &* 31) &+ Int($1) } % 5 == 0 ? nil : text
            }
            lists.append(Watched(name: name, token: token, window: window, shown: shown))
        }
        self.lists = lists
    }

    /// Each list equals what a list would be that reads everything again, and the steps lead there.
    func check(_ world: String) throws {
        for list in lists {
            let before = Array(list.shown.items)
            let (changes, facts) = try list.source.update(device)
            let steps = list.shown.take(changes)
            let (items, hasMore) = try ListReading(device).items(of: list)
            let wanted = items.compactMap(make)
            try #require(Array(list.shown.items) == wanted, "\(world): \(list.name), a window of \(list.window.limit)")
            try #require(follow(steps, from: before) == wanted, "\(world): the steps of \(list.name)")
            if let hasMore { try #require(facts.hasMore == hasMore, "\(world): \(list.name) goes on") }
        }
    }

    private func make(_ row: JSONObject) -> String? {
        let text = JSONValue.object(row).text
        return text.utf8.reduce(0) { ($0 &* 31) &+ Int($1) } % 5 == 0 ? nil : text
    }

    /// Applies steps as an application does.
    private func follow(_ steps: [Snapshot<String>.Change], from before: [String]) -> [String] {
        var list = before
        for step in steps {
            switch step {
            case .add(let item, let index): list.insert(item, at: index)
            case .change(let item, let index): list[index] = item
            case .remove(_, let index): list.remove(at: index)
            case .move(let item, let from, let index):
                list.remove(at: from)
                list.insert(item, at: index)
            }
        }
        return list
    }
}

/// The items of a list when all is read: rows of the whole store, none of the windows or patches of the library.
@WatchWiseActor
struct ListReading {
    let device: Device
    let overlay: Overlay

    init(_ device: Device) {
        self.device = device
        overlay = Overlay(user: device.user, entries: device.entries)
    }

    private func note(_ name: String) throws -> JSONValue? { try device.store.read { try $0.note(name) } }
    private func all(_ table: StoreTable) throws -> [JSONObject] { try device.store.read { try $0.all(table) } }
    private func newest(_ table: StoreTable) throws -> [JSONObject] {
        let name = table.keyColumn
        return try all(table).sorted {
            (one, other) in
            (other.integer("seq"), other.string(name) ?? "") < (one.integer("seq"), one.string(name) ?? "")
        }
    }

    /// The items, and whether there are more rows.
    func items(of list: ListWatcher.Watched) throws -> (items: [JSONObject], hasMore: Bool?) {
        guard let source = list.source as? WindowSource else { return (try single(list.name), nil) }
        let seenUpTo = try note("seenUpTo")?.integerValue ?? 0
        let limit = list.window.limit
        switch source.shown.shape {
        case .messages(let chat):
            let rows = try all(.messages).filter { $0.string("chat") == chat }
            let sorted = rows.sorted { $0.integer("n") < $1.integer("n") }
            return (overlay.messages(sorted.suffix(limit), of: chat), nil)
        case .chats:
            // A chat that was written to is shown with all that is known of it, also beyond the window.
            let rows = try newest(.chats)
            let beyond = rows.dropFirst(limit).filter { overlay.writtenChats.contains($0.string("chat") ?? "") }
            return (overlay.chats(rows.prefix(limit) + beyond), rows.count > limit)
        case .inbox:
            let rows = try newest(.inbox)
            let now = source.context.now
            return (overlay.inbox(Array(rows.prefix(limit)), seenUpTo: seenUpTo, now: now), rows.count > limit)
        case .topics:
            let rows = try all(.topics)
            let end = rows.count > limit ? rows[limit - 1].string("topic") : nil
            return (overlay.topics(Array(rows.prefix(limit)), upTo: end), rows.count > limit)
        case .documents(let path):
            let rows = try all(.documents).filter { $0.string("collection") == path }
            let end = rows.count > limit ? rows[limit - 1].string("path") : nil
            let items = overlay.documents(Array(rows.prefix(limit)), at: path, isCollection: true, upTo: end)
            return (items, rows.count > limit)
        }
    }

    private func single(_ name: String) throws -> [JSONObject] {
        switch name {
        case "unread":
            let counts = try note("unread") ?? ["chats": 0, "notifications": 0]
            let made = overlay.unread(
                counts, chats: try newest(.chats), inbox: try newest(.inbox),
                seenUpTo: try note("seenUpTo")?.integerValue ?? 0)
            return [made.objectValue ?? [:]]
        case "invitations":
            let rows = try note("invitations")?.arrayValue?.compactMap(\.objectValue) ?? []
            return overlay.invitations(rows, now: "2026-01-01T00:00:00.000Z")
        case "preferences": return [["value": overlay.preferences(try note("preferences") ?? [:])]]
        case "outbox": return overlay.entries.map(\.json)
        default:
            let path = ListWatcher.collection + "/3"
            let rows = try device.store.read { try $0.row(RowKey(.documents, path)) }.map { [$0] } ?? []
            return overlay.documents(rows, at: path, isCollection: false)
        }
    }
}
