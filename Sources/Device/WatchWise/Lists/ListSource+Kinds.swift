import Foundation
import JSON
import Session

/// The lists of the library.
extension ListSource {
    /// The length of a list unless its caller says otherwise: the server's bound of a page.
    static let itemsMax = 200

    static func chats(limit: Int) -> ListSource {
        ListSource(isTouched: { $0 == .chats }) { device in
            let rows = try device.store.read { try $0.newest(.chats, limit: limit) }
            return Loaded(rows: rows) { $0.chats(rows) }
        }
    }

    /// The newest messages of a chat, and those that wait. Missing ones are asked for.
    static func messages(of chat: String, limit: Int) -> ListSource {
        var source = ListSource(isTouched: { $0 == .chat(chat) || $0 == .state }) { device in
            let (rows, row) = try device.store.read { reader in
                (try reader.messages(of: chat, limit: limit), try reader.row(RowKey(.chats, chat)))
            }
            let first = rows.count == limit ? rows.first?.integer("n") ?? 1 : 1
            let gap = MessageGaps(row).ranges.last { $0.upperBound >= first }
            if let gap, device.state == .live { device.fill(chat, gap, limit: limit) }
            return Loaded(rows: rows, isComplete: gap == nil) { $0.messages(rows, of: chat) }
        }
        source.chat = chat
        return source
    }

    static let inbox = ListSource(isTouched: { $0 == .inbox || $0 == .note("seenUpTo") }) { device in
        let (rows, seenUpTo) = try device.store.read { reader in
            (try reader.newest(.inbox, limit: itemsMax), try reader.note("seenUpTo")?.integerValue ?? 0)
        }
        return Loaded(rows: rows) { $0.inbox(rows, seenUpTo: seenUpTo, now: device.serverTime.formatted(.server)) }
    }

    static let unread = ListSource(
        isTouched: { [.chats, .inbox, .note("unread"), .note("seenUpTo")].contains($0) }
    ) { device in
        let (counts, chats, inbox, seenUpTo) = try device.store.read { reader in
            (
                try reader.note("unread") ?? ["chats": 0, "notifications": 0],
                try reader.newest(.chats, limit: itemsMax), try reader.newest(.inbox, limit: itemsMax),
                try reader.note("seenUpTo")?.integerValue ?? 0
            )
        }
        return Loaded(rows: []) { overlay in
            [overlay.unread(counts, chats: chats, inbox: inbox, seenUpTo: seenUpTo).objectValue ?? [:]]
        }
    }

    static let topics = ListSource(isTouched: { $0 == .topics }) { device in
        let rows = try device.store.read { try $0.all(.topics) }
        return Loaded(rows: rows) { $0.topics(rows) }
    }

    static let invitations = ListSource(isTouched: { $0 == .note("invitations") }) { device in
        let rows = try device.store.read { try $0.note("invitations") }?.arrayValue?.compactMap(\.objectValue) ?? []
        return Loaded(rows: rows) { $0.invitations(rows, now: device.serverTime.formatted(.server)) }
    }

    static let preferences = ListSource(isTouched: { $0 == .note("preferences") }) { device in
        let value = try device.store.read { try $0.note("preferences") } ?? [:]
        return Loaded(rows: []) { [["value": $0.preferences(value)]] }
    }

    static let outbox = ListSource(isTouched: { $0 == .outbox }) { _ in
        Loaded(rows: []) { $0.entries.map(\.json) }
    }

    static func document(_ path: String) -> ListSource {
        ListSource(isTouched: { $0 == .document(path) }, paths: [path]) { device in
            let rows = try device.store.read { try $0.row(RowKey(.documents, path)) }.map { [$0] } ?? []
            let state = device.watchState(path)
            return Loaded(rows: rows, isComplete: state.isComplete, error: state.error) {
                $0.documents(rows, at: path, isCollection: false)
            }
        }
    }

    static func collection(_ path: String) -> ListSource {
        let isTouched: @Sendable (ChangedName) -> Bool = { name in
            guard case .document(let other) = name else { return false }
            return other == path || other.hasPrefix(path + "/")
        }
        return ListSource(isTouched: isTouched, paths: [path]) { device in
            let rows = try device.store.read { try $0.documents(in: path) }
            let state = device.watchState(path)
            return Loaded(rows: rows, isComplete: state.isComplete, error: state.error) {
                $0.documents(rows, at: path, isCollection: true)
            }
        }
    }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
    /// As the server writes times: RFC 3339, UTC, milliseconds.
    static var server: Date.ISO8601FormatStyle { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}
