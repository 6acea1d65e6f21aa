import Foundation
import JSON
import Session

/// Deletes what need not be kept: old messages, old notifications, documents that nobody watches. A range of messages that
/// was deleted is a gap, which `history` fills.
struct StoreTrimming {
    /// Messages kept of a chat that was opened lately, and of others.
    var messagesOpened: Int64 = 5000
    var messages: Int64 = 500
    var openedWithin: TimeInterval = 30 * 86_400
    var inbox = 1000
    var documentsWithin: TimeInterval = 7 * 86_400
    private let now: Date
    /// Chats and watched paths that somebody reads: nothing of them is deleted.
    private let shown: Shown

    /// The lists that somebody reads.
    struct Shown {
        var chats: Set<String> = []
        var paths: Set<String> = []
    }

    init(at now: Date, shown: Shown = Shown()) {
        self.now = now
        self.shown = shown
    }

    /// The name of the note that says when a chat was opened.
    static func openedName(_ chat: String) -> String { "opened/\(chat)" }

    /// Deletes.
    /// - Returns: the watched paths of which the store has nothing any more: their positions have to be forgotten.
    func trim(_ writer: inout StoreWriter) throws -> Set<String> {
        for chat in try writer.reading({ try $0.newest(.chats, limit: .max) }) { try trim(chat, &writer) }
        let notifications = try writer.reading { try $0.newest(.inbox, limit: .max) }
        for row in notifications.dropFirst(inbox) { try writer.apply(.delete(RowKey(.inbox, of: row))) }
        return try trimDocuments(&writer)
    }

    /// A document of a path that goes stays if another path that stays has it, too.
    private func trimDocuments(_ writer: inout StoreWriter) throws -> Set<String> {
        let watches = try writer.reading { try $0.all(.watches) }
        let old = Set(watches.filter(isOld).compactMap { $0.string("path") })
        let kept = Set(watches.compactMap { $0.string("path") }).union(shown.paths).subtracting(old)
        for path in old {
            for row in try writer.reading({ try $0.documents(in: path) }) where !kept.contains(row.string("path") ?? "")
            {
                try writer.apply(.delete(RowKey(.documents, of: row)))
            }
            if !kept.contains(Mirror.collection(of: path)) { try writer.apply(.delete(RowKey(.documents, path))) }
            try writer.apply(.delete(RowKey(.watches, path)))
        }
        return old
    }

    private func isOld(_ watch: JSONObject) -> Bool {
        let usedAt = Date(timeIntervalSince1970: Double(watch.integer("usedAt")) / 1000)
        return !watch.isTrue("isActive") && now.timeIntervalSince(usedAt) >= documentsWithin
            && !shown.paths.contains(watch.string("path") ?? "")
    }

    private func trim(_ chat: JSONObject, _ writer: inout StoreWriter) throws {
        let id = chat.string("chat") ?? ""
        let opened = try writer.row(RowKey(.meta, Self.openedName(id)))?["value"]?.integerValue ?? 0
        let isOpened = now.timeIntervalSince1970 - Double(opened) / 1000 < openedWithin
        let below = chat.integer("top") - (isOpened ? messagesOpened : messages) + 1
        let gaps = MessageGaps(chat)
        if below <= 1 || shown.chats.contains(id) { return }
        if let first = gaps.ranges.first, first.lowerBound == 1, first.upperBound >= below - 1 { return }
        try writer.apply(.deleteMessages(chat: id, below: below))
        try writer.apply(.put(.chats, chat.with(["gaps": gaps.trimmed(below: below).json])))
    }
}
