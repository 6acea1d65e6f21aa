import JSON
import Session

/// Facts on which all items of a list depend.
struct ListContext: Sendable, Equatable {
    /// Everything up to here was seen.
    var seenUpTo: Int64 = 0
    /// The server's time (RFC 3339); empty where it does not matter.
    var now = ""
    /// The last one of a list by names that goes on in the store.
    var end: String?
}

/// A kind of lists with a window of rows: the rows that a waiting write shows in, and the items that rows and writes make.
enum ListShape: Sendable, Hashable {
    case messages(String)
    case chats, inbox, topics
    case documents(String)

    /// Items that stand aside from the sorted ones: chats that one writes to stand before them, messages that wait after them.
    var extrasFirst: Bool { self == .chats }

    /// The keys of the rows that a waiting write may show in; nil when these cannot be named.
    func keys(of entry: WriteEntry, in overlay: Overlay) -> [RowKey]? {
        guard entry.state != .failed else { return [] }
        let command = entry.command
        switch (self, entry.type) {
        case (.messages(let chat), "edit"), (.messages(let chat), "delete"), (.messages(let chat), "react"):
            return command.string("chat") == chat ? [RowKey(.messages, chat, n: command.integer("n"))] : []
        case (.chats, "read"), (.chats, "archive"), (.chats, "send"), (.chats, "recommend"):
            return command["chat"] == nil && command["to"] == nil ? [] : [RowKey(.chats, overlay.chatOf(command))]
        case (.inbox, "seen") where command["upTo"] != nil: return nil
        case (.inbox, "seen"), (.inbox, "snooze"), (.inbox, "archive"):
            return (command["ids"]?.arrayValue ?? []).compactMap { $0.stringValue.map { RowKey(.inbox, $0) } }
        case (.topics, "follow"), (.topics, "unfollow"): return [RowKey(.topics, command.string("topic") ?? "")]
        case (.documents(let collection), "put"), (.documents(let collection), "patch"),
            (.documents(let collection), "remove"):
            let path = command.string("path") ?? ""
            return Mirror.collection(of: path) == collection ? [RowKey(.documents, path)] : []
        default: return []
        }
    }

    /// The items that rows and waiting writes make.
    func items(_ rows: [JSONObject], _ overlay: Overlay, _ context: ListContext) -> [JSONObject] {
        switch self {
        case .messages(let chat): overlay.messages(rows, of: chat)
        case .chats: overlay.chats(rows)
        case .inbox: overlay.inbox(rows, seenUpTo: context.seenUpTo, now: context.now)
        case .topics: overlay.topics(rows, upTo: context.end)
        case .documents(let path): overlay.documents(rows, at: path, isCollection: true, upTo: context.end)
        }
    }
}

/// The writes that wait, by the rows that they show in.
struct WaitingWrites {
    let overlay: Overlay
    let context: ListContext
    private(set) var byKey: [RowKey: [WriteEntry]] = [:]
    /// Those that may show in any row.
    private(set) var wide: [WriteEntry] = []
    /// The chats that stand before the sorted ones, in their order.
    let front: [RowKey]
    private let isFront: Set<RowKey>

    init(_ overlay: Overlay, of shape: ListShape, _ context: ListContext) {
        self.overlay = overlay
        self.context = context
        front = shape == .chats ? overlay.writtenChats.map { RowKey(.chats, $0) } : []
        isFront = Set(front)
        for entry in overlay.entries {
            guard let keys = shape.keys(of: entry, in: overlay) else {
                wide.append(entry)
                continue
            }
            for key in keys { byKey[key, default: []].append(entry) }
        }
    }

    func isFront(_ key: RowKey) -> Bool { isFront.contains(key) }
    /// Everything up to here is seen when the writes are done.
    var seenUpTo: Int64 { wide.map { $0.command.integer("upTo") }.max() ?? -1 }
}
